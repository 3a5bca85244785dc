/** Who looks at this page and what they may do, read once for the whole of it. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useRef } from 'react'
import type { Scope } from '../../shared/scopes.ts'
import { type Door, door, useDoor } from './auth-state.ts'
import { hearOtherTabs, tellOtherTabs } from './other-tabs.ts'
import { readSession, type SessionInfo } from './session.ts'
import { forgetTyped } from './unsent-input.ts'

const KEY = 'session'

/** undefined: not known yet, or nobody could be asked. */
export const SessionContext = createContext<SessionInfo | undefined>(undefined)

export function useReadSession(): SessionInfo | undefined {
  const queries = useQueryClient()
  const state = useDoor()
  const { data } = useQuery({ queryKey: [KEY], queryFn: readSession })
  const before = useRef<Door>(state)
  useEffect(() => {
    const look = async () => {
      // The first answer, while it is on its way, would count for this question too; but it was asked before.
      await queries.cancelQueries({ queryKey: [KEY] })
      await queries.refetchQueries({ queryKey: [KEY] })
    }
    let isTold = false
    const stops = [
      door.lookBy(() => void look()),
      hearOtherTabs(async (told) => {
        if (told === 'left') forgetTyped()
        isTold = true
        await look()
        isTold = false
      }),
      // One stream serves all tabs, so only one of them may have noticed.
      door.subscribe(() => {
        if (!isTold) tellOtherTabs('look')
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [queries])
  useEffect(() => {
    if (state === before.current) return
    before.current = state
    forget(queries)
  }, [state, queries])
  return state === 'signed-out' ? undefined : data
}

/** What one has read is not for the next one. */
function forget(queries: QueryClient): void {
  queries.removeQueries({ type: 'inactive' })
  void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY })
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
  return `You may not do this: it needs the scope ${scope}.`
}
