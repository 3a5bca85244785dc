/** A timer for due times: runs a task at the earliest armed instant, and never two runs at once. */
import type { Clock, Timer } from '../../base/clock.ts'
import type { StoreTime } from '../commit/store-time.ts'

/** Maximum delay of one timer: bounds the time until a clock jump or another process's insert is noticed. */
export const MAX_HOP_MS = 30_000

/** Delay after a failed run, typically because the database was busy. */
const RETRY_MS = 1_000

/** `clock` measures durations; `time` is the store's time, in which due times are given. */
export interface Clocks {
  readonly clock: Clock
  readonly time: StoreTime
}

export interface Firing {
  /** How much later than planned the timer fired, because the event loop was stalled or the machine slept. */
  readonly lateMs: number
}

export class DueTimer {
  private readonly clock: Clock
  private readonly time: StoreTime
  private readonly task: (firing: Firing) => Promise<number | null>
  private readonly onError: (error: unknown) => void
  private timer: Timer | null = null
  private plannedAt = Number.POSITIVE_INFINITY
  private running: Promise<void> | null = null
  /** The earliest instant armed during a run, on the monotonic clock. */
  private armedDuringRun = Number.POSITIVE_INFINITY
  private active = false

  /** `task` returns its next due instant, in the store's time; null: none. */
  constructor(
    { clock, time }: Clocks,
    task: (firing: Firing) => Promise<number | null>,
    onError: (error: unknown) => void,
  ) {
    this.clock = clock
    this.time = time
    this.task = task
    this.onError = onError
  }

  /** Returns false when it was already started. */
  start(): boolean {
    if (this.active) return false
    this.active = true
    this.armIn(MAX_HOP_MS)
    return true
  }

  /** False after `stop`: long tasks check it between steps. */
  get isActive(): boolean {
    return this.active
  }

  async stop(): Promise<void> {
    this.active = false
    this.disarm()
    await this.running
  }

  /** Arms the timer for `at` (store time), unless an earlier instant is armed. */
  armAt(at: number | null): void {
    if (at !== null) this.armIn(Math.max(0, at - this.time.now()))
  }

  armIn(delayMs: number): void {
    if (!this.active) return
    const hopMs = Math.min(MAX_HOP_MS, delayMs)
    const planned = this.clock.monotonic() + hopMs
    if (this.running) {
      this.armedDuringRun = Math.min(this.armedDuringRun, planned)
      return
    }
    if (this.timer && planned >= this.plannedAt - 1) return
    this.disarm()
    this.plannedAt = planned
    this.timer = this.clock.after(Math.ceil(hopMs), () => this.fire())
  }

  private disarm(): void {
    this.timer?.cancel()
    this.timer = null
    this.plannedAt = Number.POSITIVE_INFINITY
  }

  private fire(): void {
    const lateMs = this.clock.monotonic() - this.plannedAt
    this.disarm()
    this.running = this.run(lateMs)
  }

  private async run(lateMs: number): Promise<void> {
    let nextAt: number | null = null
    let failed = false
    try {
      nextAt = await this.task({ lateMs })
    } catch (error) {
      failed = true
      this.onError(error)
    }
    this.running = null
    const { armedDuringRun } = this
    this.armedDuringRun = Number.POSITIVE_INFINITY
    this.armIn(failed ? RETRY_MS : Math.max(0, armedDuringRun - this.clock.monotonic()))
    this.armAt(nextAt)
  }
}
