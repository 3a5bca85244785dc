/** What the store's clock says right now: due times are in its time, and it may be another machine's. */
import type { Clock } from '../../base/clock.ts'

/** A commit takes a while, so its instant is always a little old; only a difference beyond this is another clock. */
const SAME_CLOCK_MS = 200

export class StoreTime {
  private readonly clock: Clock
  private ahead = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** A commit has just happened at this instant of the store. */
  observe(storeNow: number): void {
    const ahead = storeNow - this.clock.now()
    this.ahead = Math.abs(ahead) < SAME_CLOCK_MS ? 0 : ahead
  }

  now(): number {
    return this.clock.now() + this.ahead
  }
}
