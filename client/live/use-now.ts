/** Server time, updated every second by one timer for the whole page. */
import { createStore, useStore } from '../lib/store.ts'
import { useLive } from './use-live.ts'

const TICK_MS = 1_000

const now = createStore(Date.now())
let timer: ReturnType<typeof setInterval> | undefined
let subscribers = 0

/** The timer runs only while a component is subscribed. */
function subscribe(listener: () => void): () => void {
  const unsubscribe = now.subscribe(listener)
  subscribers += 1
  timer ??= setInterval(() => now.set(Date.now()), TICK_MS)
  return () => {
    unsubscribe()
    subscribers -= 1
    if (subscribers > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const ticking = { get: now.get, subscribe }

export function useNow(): number {
  const { feed } = useLive()
  return useStore(ticking) + feed.clockOffsetMs
}
