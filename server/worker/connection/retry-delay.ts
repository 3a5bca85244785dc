/** Retry delay for an unreachable queue: exponential backoff with jitter. */
import type { Clock } from '../../base/clock.ts'

const FIRST_MS = 100
/** A recovered queue is used again within a second. */
const MAX_MS = 1_000

export class RetryDelay {
  private readonly clock: Clock
  private readonly random: () => number
  private failures = 0
  private since: number | null = null
  private endWait: () => void = () => {}

  constructor(clock: Clock, random: () => number) {
    this.clock = clock
    this.random = random
  }

  /** Time since the first failed call; null: the last call succeeded. */
  get outageMs(): number | null {
    return this.since === null ? null : this.clock.monotonic() - this.since
  }

  reset(): void {
    this.failures = 0
    this.since = null
  }

  /** Ends the current wait. */
  skip(): void {
    this.endWait()
  }

  /** Waits between 50 and 100 % of a delay that doubles each time, or until the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    this.since ??= this.clock.monotonic()
    const delayMs = Math.min(MAX_MS, FIRST_MS * 2 ** this.failures)
    this.failures += 1
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(delayMs * (0.5 + this.random() / 2), done, true)
      function done(): void {
        timer.cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
      this.endWait = done
    })
  }
}
