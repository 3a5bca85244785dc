/** How long to leave a queue alone that cannot be reached: longer each time, never in step with other workers. */
import type { Clock } from '../../base/clock.ts'

const FIRST_MS = 100
/** A queue that works again is used within a second. */
const MAX_MS = 1_000

export class RetryPause {
  private readonly clock: Clock
  private readonly random: () => number
  private tries = 0
  private since: number | null = null
  private end: () => void = () => {}

  constructor(clock: Clock, random: () => number) {
    this.clock = clock
    this.random = random
  }

  /** For how long the queue has not answered; null while it does. */
  get outageMs(): number | null {
    return this.since === null ? null : this.clock.monotonic() - this.since
  }

  answered(): void {
    this.tries = 0
    this.since = null
  }

  /** Ends the pause that is under way, if one is. */
  cut(): void {
    this.end()
  }

  /** Between half and all of a span that doubles; ends early when the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    this.since ??= this.clock.monotonic()
    const span = Math.min(MAX_MS, FIRST_MS * 2 ** this.tries)
    this.tries += 1
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(span * (0.5 + this.random() / 2), done, true)
      function done(): void {
        timer.cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
      this.end = done
    })
  }
}
