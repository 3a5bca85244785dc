/** A created token until the user has copied it. Lives outside React: signing in remounts the page. */
import { createStore, useStore } from '../../../lib/store.ts'

export interface CreatedToken {
  readonly name: string
  readonly token: string
}

const created = createStore<CreatedToken | null>(null)

export const setCreatedToken = created.set

export function useCreatedToken(): CreatedToken | null {
  return useStore(created)
}
