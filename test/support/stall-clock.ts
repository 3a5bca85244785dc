/** A test clock that can also lose time: the event loop was blocked, or the machine slept. */
import { TestClock } from './test-clock.ts'

export class StallClock extends TestClock {
  #lostMs = 0
  #asleepMs = 0

  override now(): number {
    return super.now() + this.#lostMs
  }

  override monotonic(): number {
    return super.monotonic() + this.#lostMs
  }

  /** Time passes and no timer fires: those that were due in between fire late, with the next advance. */
  stall(ms: number): void {
    this.#lostMs += ms
  }

  asleepMs(): number {
    return this.#asleepMs
  }

  /** The machine sleeps: wall time passes, monotonic time stands still as on Linux. */
  sleep(ms: number): void {
    this.#asleepMs += ms
    this.jump(ms)
  }
}
