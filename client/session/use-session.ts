/** Who looks at this page and what they may do, read once for the whole of it. */
import { useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import type { Scope } from '../../shared/scopes.ts'
import { readSession, type SessionInfo } from './session.ts'

/** undefined: not known yet, or nobody could be asked. */
export const SessionContext = createContext<SessionInfo | undefined>(undefined)

export function useReadSession(): SessionInfo | undefined {
  return useQuery({ queryKey: ['session'], queryFn: readSession }).data
}

export function useSession(): SessionInfo | undefined {
  return use(SessionContext)
}

/** Whether an act that needs this scope is worth offering. Where nobody knows, it is: the server decides. */
export function useMay(scope: Scope): boolean {
  const session = useSession()
  return session === undefined || session.actor === null || session.scopes.includes(scope)
}

/** Why an act is not offered. */
export function lacks(scope: Scope): string {
  return `Your token may not do this: it needs the scope ${scope}.`
}
