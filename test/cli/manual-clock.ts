/** Real time with timers that fire on `tick`. */
import { type Clock, systemClock } from '../../server/base/clock.ts'
import { until } from '../support/engine.ts'

export class ManualClock implements Clock {
  private readonly waiting = new Set<() => void>()

  now(): number {
    return systemClock.now()
  }

  monotonic(): number {
    return systemClock.monotonic()
  }

  after(_delayMs: number, run: () => void) {
    this.waiting.add(run)
    return { cancel: () => void this.waiting.delete(run) }
  }

  isWaitedFor(): Promise<void> {
    return until(() => this.waiting.size > 0)
  }

  /** Fires all pending timers. */
  tick(): void {
    for (const run of [...this.waiting]) run()
  }
}
