/** A test clock that can simulate a blocked event loop and a sleeping machine. */
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

  /** Time passes without timers: due timers fire late, at the next advance. */
  stall(ms: number): void {
    this.#lostMs += ms
  }

  asleepMs(): number {
    return this.#asleepMs
  }

  /** The machine sleeps: wall time passes, monotonic time does not, as on Linux. */
  sleep(ms: number): void {
    this.#asleepMs += ms
    this.jump(ms)
  }
}
