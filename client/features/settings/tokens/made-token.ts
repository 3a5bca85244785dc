/** The secret of a token that was just made, until somebody has taken it. It outlives the page's parts: signing in renews them. */
import { useSyncExternalStore } from 'react'

export interface MadeToken {
  readonly name: string
  readonly token: string
}

const listeners = new Set<() => void>()
let made: MadeToken | null = null

export function keepMadeToken(next: MadeToken | null): void {
  made = next
  for (const listener of listeners) listener()
}

export function useMadeToken(): MadeToken | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => made,
  )
}
