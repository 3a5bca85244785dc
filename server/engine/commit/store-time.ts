/** The current time of the store's clock, which may be on another machine; due times are in this time. */
import type { Clock } from '../../base/clock.ts'

/** The time of a commit is slightly old when it is observed; only a larger difference means another clock. */
const SAME_CLOCK_MS = 200

export class StoreTime {
  private readonly clock: Clock
  private offsetMs = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** `storeNow` is the store's time of a commit that has just returned. */
  observe(storeNow: number): void {
    const offsetMs = storeNow - this.clock.now()
    this.offsetMs = Math.abs(offsetMs) < SAME_CLOCK_MS ? 0 : offsetMs
  }

  now(): number {
    return this.clock.now() + this.offsetMs
  }
}
