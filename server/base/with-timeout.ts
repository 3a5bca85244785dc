/** A time limit for a promise. */
import type { Clock } from './clock.ts'

/** null: timed out. The promise itself continues. */
export async function withTimeout<Value>(value: Promise<Value>, ms: number, clock: Clock): Promise<Value | null> {
  let giveUp = () => {}
  const timeout = new Promise<null>((resolve) => {
    giveUp = () => resolve(null)
  })
  const timer = clock.after(ms, giveUp)
  try {
    return await Promise.race([value, timeout])
  } finally {
    timer.cancel()
  }
}
