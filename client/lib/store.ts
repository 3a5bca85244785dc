/** Observable value: the one store behind every piece of state that lives outside React. */
import { useSyncExternalStore } from 'react'

export interface Store<State> {
  readonly get: () => State
  /** Notifies all listeners, also when the value is unchanged. */
  readonly set: (next: State) => void
  /** Returns the function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void
}

export function createStore<State>(initial: State): Store<State> {
  const listeners = new Set<() => void>()
  let state = initial
  return {
    get: () => state,
    set(next) {
      state = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function useStore<State>({ subscribe, get }: Pick<Store<State>, 'subscribe' | 'get'>): State {
  return useSyncExternalStore(subscribe, get)
}
