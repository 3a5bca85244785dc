/** What the page in view is called: by its address, unless it says something better. */
import { useEffect, useSyncExternalStore } from 'react'
import { ROUTES } from '../../lib/routes.ts'

const listeners = new Set<() => void>()
let own: string | null = null

function say(name: string | null): void {
  own = name
  for (const listener of listeners) listener()
}

/** The page's own name, as long as it is in view. null: that of its address. */
export function usePageName(name: string | null): void {
  useEffect(() => {
    say(name)
    return () => say(null)
  }, [name])
}

export function useOwnName(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => own,
  )
}

export function nameOf(path: string): string {
  if (/^\/jobs\/./.test(path)) return 'Job'
  return ROUTES.find((route) => route.path === path)?.name ?? 'Nothing here'
}
