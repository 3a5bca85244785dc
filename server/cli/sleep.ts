/** Waits for a delay or until the signal aborts. */
import type { Clock } from '../base/clock.ts'

export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = clock.after(ms, done, true)
    signal.addEventListener('abort', done)
  })
}
