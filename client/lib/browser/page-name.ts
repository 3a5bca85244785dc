/** Name of the current page for the tab title: from the route, or set by the page itself. */
import { useEffect } from 'react'
import { ROUTES } from '../routes.ts'
import { createStore, useStore } from '../store.ts'

const ownName = createStore<string | null>(null)

/** Sets the page's name while the calling component is mounted. null: the name of its route. */
export function usePageName(name: string | null): void {
  useEffect(() => {
    ownName.set(name)
    return () => ownName.set(null)
  }, [name])
}

/** The name set by `usePageName`, or null. */
export function useOwnPageName(): string | null {
  return useStore(ownName)
}

export function routeName(path: string): string {
  if (/^\/jobs\/./.test(path)) return 'Job'
  return ROUTES.find((route) => route.path === path)?.name ?? 'Not found'
}
