/** The server's time, ticking once a second, from one timer for the whole page. */
import { useSyncExternalStore } from 'react'
import { useLive } from './use-live.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export function useNow(): number {
  const { feed } = useLive()
  return useSyncExternalStore(subscribe, () => now) + feed.clockOffsetMs
}
