/** Waits a while, or until somebody has had enough. */
import type { Clock } from '../base/clock.ts'

export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
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
