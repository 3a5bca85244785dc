/** Session and scopes of the current user, read once for the whole page. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useRef } from 'react'
import type { Scope } from '../../shared/scopes.ts'
import { type AuthState, authStore, useAuthState } from './auth-state.ts'
import { notifyOtherTabs, onOtherTabs } from './other-tabs.ts'
import { readSession, type SessionInfo } from './session.ts'
import { clearUnsentInput } from './unsent-input.ts'

const KEY = 'session'

/** undefined: not known yet, or the read failed. */
export const SessionContext = createContext<SessionInfo | undefined>(undefined)

export function useReadSession(): SessionInfo | undefined {
  const queries = useQueryClient()
  const state = useAuthState()
  const { data } = useQuery({ queryKey: [KEY], queryFn: readSession })
  const previous = useRef<AuthState>(state)
  useEffect(() => {
    const recheck = async () => {
      // A read that is under way would be reused for this one, although it started earlier.
      await queries.cancelQueries({ queryKey: [KEY] })
      await queries.refetchQueries({ queryKey: [KEY] })
    }
    let isFromOtherTab = false
    const stops = [
      authStore.onRecheck(() => void recheck()),
      onOtherTabs(async (message) => {
        if (message === 'signed-out') clearUnsentInput()
        isFromOtherTab = true
        await recheck()
        isFromOtherTab = false
      }),
      // One event stream serves all tabs, so possibly only this tab has noticed.
      authStore.subscribe(() => {
        if (!isFromOtherTab) notifyOtherTabs('recheck')
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [queries])
  useEffect(() => {
    if (state === previous.current) return
    previous.current = state
    clearCache(queries)
  }, [state, queries])
  return state === 'signed-out' ? undefined : data
}

/** Cached data of one user must not be shown to the next. */
function clearCache(queries: QueryClient): void {
  queries.removeQueries({ type: 'inactive' })
  void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY })
}

export function useSession(): SessionInfo | undefined {
  return use(SessionContext)
}

/** Whether to offer an action that requires this scope. True while the session is unknown: the server decides. */
export function useHasScope(scope: Scope): boolean {
  const session = useSession()
  return session === undefined || session.actor === null || session.scopes.includes(scope)
}

/** Tooltip of a disabled action. */
export function missingScopeMessage(scope: Scope): string {
  return `Requires the ${scope} scope.`
}
