/** Whether the store's clock may be believed: what removes jobs for good waits while wall time and elapsed time disagree. */
import { HOUR, MINUTE, SECOND } from '../../shared/limits.ts'

/** Of a clock that is set while the process runs; larger than any correction that is made in passing. */
const JUMP_MS = MINUTE
/** Clocks of one machine may drift apart by a tenth of a percent. */
const DRIFT = 0.001
/** No time is measured between two runs: a longer stop looks the same as a clock that is ahead. */
const STOP_MS = HOUR
/** How long a clock that jumped ahead must be steady before it is believed. */
export const GRACE_MS = HOUR
/** How long retention goes in small steps after that. */
export const CAREFUL_MS = HOUR

interface Reading {
  readonly wall: number
  readonly monotonic: number
  readonly slackMs: number
}

export class ClockTrust {
  private readonly monotonic: () => number
  private readonly onWarning: (message: string) => void
  private base: Reading | null = null
  /** What the clock says since it left the base. */
  private candidate: Reading | null = null
  /** How long the clock was steady in earlier runs that ended before it was believed. */
  private earlierMs = 0
  private carefulUntil = Number.NEGATIVE_INFINITY
  private isReported = false

  constructor(monotonic: () => number, onWarning: (message: string) => void) {
    this.monotonic = monotonic
    this.onWarning = onWarning
  }

  /**
   * `lastSureAt`: when upkeep last believed this clock, in an earlier run or elsewhere; null where it never ran. `steadyMs`: how
   * long runs since then have waited; without it a program that runs for less than GRACE_MS at a time would never believe a clock.
   */
  start(now: number, lastSureAt: number | null, steadyMs = 0): void {
    const monotonic = this.monotonic()
    const reading = { wall: now, monotonic, slackMs: JUMP_MS }
    const isAhead = lastSureAt !== null && now - lastSureAt > STOP_MS
    this.base = isAhead ? { wall: lastSureAt, monotonic, slackMs: STOP_MS } : reading
    this.candidate = isAhead ? reading : null
    this.earlierMs = isAhead ? steadyMs : 0
  }

  /** At every commit, with its instant. */
  observe(now: number): void {
    const monotonic = this.monotonic()
    const reading = { wall: now, monotonic, slackMs: JUMP_MS }
    this.base ??= reading
    if (agree(this.base, reading)) {
      this.candidate = null
      this.earlierMs = 0
      this.isReported = false
    } else if (!this.candidate || !agree(this.candidate, reading)) {
      this.candidate = reading
      this.earlierMs = 0
      this.isReported = false
    } else if (this.steadyMs >= GRACE_MS) {
      if (!this.isSure) this.carefulUntil = monotonic + CAREFUL_MS
      this.base = reading
      this.candidate = null
      this.earlierMs = 0
    }
  }

  /** How long a clock that is not believed has been steady, earlier runs included. */
  get steadyMs(): number {
    return this.candidate ? this.earlierMs + Math.floor(this.monotonic() - this.candidate.monotonic) : 0
  }

  /** A clock that went back removes less, not more, and so needs no waiting for. */
  get isSure(): boolean {
    return this.aheadMs <= 0
  }

  /** The clock jumped and was confirmed a short while ago. */
  get isCareful(): boolean {
    return this.monotonic() < this.carefulUntil
  }

  /** Once per jump, by the process that runs upkeep. */
  warn(): void {
    if (this.isSure || this.isReported) return
    this.isReported = true
    const hours = this.aheadMs / HOUR
    const ahead =
      hours >= 48 ? `${Math.round(hours / 24)} days` : hours >= 2 ? `${Math.round(hours)} h` : minutes(this.aheadMs)
    this.onWarning(
      `The clock is ${ahead} ahead of where the queue last believed it: it was set, or nothing ran meanwhile. Retention and ` +
        `expiry wait until it has been steady for ${minutes(GRACE_MS)}. If the clock is wrong, set it right before then.`,
    )
  }

  private get aheadMs(): number {
    return this.base && this.candidate ? difference(this.base, this.candidate) : 0
  }
}

/** How much more wall time than elapsed time lies between two readings. */
function difference(from: Reading, to: Reading): number {
  return to.wall - from.wall - (to.monotonic - from.monotonic)
}

function agree(from: Reading, to: Reading): boolean {
  return Math.abs(difference(from, to)) <= from.slackMs + (to.monotonic - from.monotonic) * DRIFT
}

function minutes(ms: number): string {
  return ms < 2 * MINUTE ? `${Math.round(ms / SECOND)} s` : `${Math.round(ms / MINUTE)} min`
}
