/** A clock that stands still until a test moves it. */
import type { Clock, Timer } from '../../base/clock.ts'

/** A timer that re-arms itself with no delay would otherwise hang the test. */
const MAX_TIMERS = 100_000

interface Waiting {
  readonly dueAt: number
  readonly order: number
  readonly run: () => void
}

export class VirtualClock implements Clock {
  #wall: number
  #monotonic = 0
  #order = 0
  readonly #timers = new Set<Waiting>()
  readonly #settle: () => Promise<void>

  /** `settle` comes back when whatever a timer has started is done. */
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
    const timer: Waiting = { dueAt: this.#monotonic + Math.max(0, delayMs), order: this.#order++, run }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Timers not yet fired nor cancelled: zero once everything that was started has been stopped. */
  get pendingTimers(): number {
    return this.#timers.size
  }

  /** Moves both clocks, firing due timers in order and letting what each one started settle before the next. */
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
    throw new Error(`more than ${MAX_TIMERS} timers fired within ${ms} ms; one of them re-arms itself at once`)
  }

  /** Moves the wall clock alone, as an administrator or NTP would. */
  jump(ms: number): void {
    this.#wall += ms
  }

  #nextDue(target: number): Waiting | undefined {
    let next: Waiting | undefined
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
