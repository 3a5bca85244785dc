/** Virtual clock: time advances only when a test advances it. */
import type { Clock, Timer } from '../../base/clock.ts'

/** Stops a test whose timer re-arms itself without a delay. */
const MAX_TIMERS = 100_000

interface PendingTimer {
  readonly dueAt: number
  readonly order: number
  readonly run: () => void
}

export class VirtualClock implements Clock {
  #wall: number
  #monotonic = 0
  #order = 0
  readonly #timers = new Set<PendingTimer>()
  readonly #settle: () => Promise<void>

  /** `settle` resolves when the work started by a timer is done. */
  constructor(start: number, settle: () => Promise<void>) {
    this.#wall = start
    this.#settle = settle
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#monotonic
  }

  after(delayMs: number, run: () => void): Timer {
    const timer: PendingTimer = { dueAt: this.#monotonic + Math.max(0, delayMs), order: this.#order++, run }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Number of timers that have neither fired nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size
  }

  /** Advances both clocks and fires due timers in order. The work of each timer settles before the next one fires. */
  async advance(ms: number): Promise<void> {
    const target = this.#monotonic + ms
    await this.#settle()
    for (let fired = 0; fired < MAX_TIMERS; fired++) {
      const next = this.#nextDue(target)
      this.#moveTo(next?.dueAt ?? target)
      if (next) {
        this.#timers.delete(next)
        next.run()
      }
      await this.#settle()
      if (!next && !this.#nextDue(target)) return
    }
    throw new Error(`More than ${MAX_TIMERS} timers fired within ${ms} ms; one of them re-arms itself without a delay.`)
  }

  /** Changes only the wall clock, as an administrator or NTP does. */
  jump(ms: number): void {
    this.#wall += ms
  }

  #nextDue(target: number): PendingTimer | undefined {
    let next: PendingTimer | undefined
    for (const timer of this.#timers) {
      if (timer.dueAt > target) continue
      if (!next || timer.dueAt < next.dueAt || (timer.dueAt === next.dueAt && timer.order < next.order)) next = timer
    }
    return next
  }

  #moveTo(monotonic: number): void {
    const step = Math.max(0, monotonic - this.#monotonic)
    this.#monotonic += step
    this.#wall += step
  }
}
