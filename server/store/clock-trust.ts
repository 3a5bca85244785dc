/** Clock trust: retention and expiry wait while wall-clock time and elapsed time disagree. */
import { HOUR, MINUTE, SECOND } from '../../shared/limits.ts'

/** A difference that counts as a jump of the clock. Larger than any correction by NTP. */
const JUMP_MS = MINUTE
/** The clocks of one machine may drift apart by 0.1 %. */
const DRIFT = 0.001
/** Elapsed time is not measured between two runs: a stop longer than this looks like a clock that is ahead. */
const STOP_MS = HOUR
/** Steady time required before a clock that jumped ahead is trusted. */
export const GRACE_MS = HOUR
/** Period of small retention steps after trust returns. */
export const CAREFUL_MS = HOUR

/** Ticks of schedules are easier to repair than removed jobs, and wait for less. */
export const TICKS_GRACE_MS = 5 * MINUTE

interface Reading {
  readonly wall: number
  /** Elapsed time without sleep of the machine: how long the clock was observed. */
  readonly monotonic: number
  /** Elapsed time with sleep: what the wall clock is compared with. */
  readonly elapsed: number
  readonly slackMs: number
}

export interface ElapsedTime {
  monotonic(): number
  /** As in Clock. Read only when wall clock and monotonic clock differ, to save a system call in every commit. */
  asleepMs?(): number
}

export class ClockTrust {
  private readonly time: ElapsedTime
  private readonly onWarning: (message: string) => void
  private base: Reading | null = null
  /** The first reading since the clock differs from the base. */
  private candidate: Reading | null = null
  /** How long the clock was steady in earlier runs, which ended before it was trusted. */
  private earlierMs = 0
  /** Sleep of the machine, as of the last jump. Only grows. */
  private asleepMs = 0
  private carefulUntil = Number.NEGATIVE_INFINITY
  private isReported = false
  private jumpedWhileRunning = false

  constructor(time: ElapsedTime, onWarning: (message: string) => void) {
    this.time = time
    this.onWarning = onWarning
    this.asleepMs = this.readAsleep()
  }

  /**
   * `lastSureAt`: when upkeep last trusted this clock, in an earlier run or on another node; null: it never ran. `steadyMs`: how long
   * the runs since then have waited; without it a program that runs for less than GRACE_MS at a time would never trust a clock.
   */
  start(now: number, lastSureAt: number | null, steadyMs = 0): void {
    const reading = this.read(now)
    const isAhead = lastSureAt !== null && now - lastSureAt > STOP_MS
    this.base = isAhead ? { ...reading, wall: lastSureAt, slackMs: STOP_MS } : reading
    this.candidate = isAhead ? reading : null
    this.earlierMs = isAhead ? steadyMs : 0
  }

  /** At every commit, with its instant. */
  observe(now: number): void {
    let reading = this.read(now)
    this.base ??= reading
    if (!agree(this.base, reading) && !(this.candidate && agree(this.candidate, reading))) {
      // The clock was set, or the machine was asleep. After a sleep, wall time and the time since boot agree.
      this.asleepMs = this.readAsleep()
      reading = this.read(now)
    }
    if (agree(this.base, reading)) {
      this.candidate = null
      this.earlierMs = 0
      this.isReported = false
    } else if (!this.candidate || !agree(this.candidate, reading)) {
      this.jumpedWhileRunning = true
      this.candidate = reading
      this.earlierMs = 0
      this.isReported = false
    } else if (this.steadyMs >= GRACE_MS) {
      if (!this.isSure) this.carefulUntil = reading.monotonic + CAREFUL_MS
      this.base = reading
      this.candidate = null
      this.earlierMs = 0
    }
  }

  /** How long a clock that is not trusted has been steady while the machine was awake, earlier runs included. */
  get steadyMs(): number {
    return this.candidate ? this.earlierMs + Math.floor(this.time.monotonic() - this.candidate.monotonic) : 0
  }

  /** A clock that was set back is trusted: retention then removes less, not more. */
  get isSure(): boolean {
    return this.aheadMs <= 0
  }

  /**
   * The clock jumped ahead while this process ran, so ticks of schedules wait. Not after a stop without a server, which looks the
   * same to retention: then the ticks that were missed are caught up at once.
   */
  get holdsTicks(): boolean {
    return this.jumpedWhileRunning && !this.isSure && this.steadyMs < TICKS_GRACE_MS
  }

  /** The clock jumped and was confirmed a short while ago. */
  get isCareful(): boolean {
    return this.time.monotonic() < this.carefulUntil
  }

  /** Once per jump, by the process that runs upkeep. */
  warn(): void {
    if (this.isSure || this.isReported) return
    this.isReported = true
    const hours = this.aheadMs / HOUR
    const ahead =
      hours >= 48 ? `${Math.round(hours / 24)} days` : hours >= 2 ? `${Math.round(hours)} h` : minutes(this.aheadMs)
    this.onWarning(
      `The clock is ${ahead} ahead of the last trusted time: it was set forward, or no server was running. Retention and ` +
        `expiry wait until it has been steady for ${minutes(GRACE_MS)}. If the clock is wrong, correct it before then.`,
    )
  }

  private read(wall: number): Reading {
    const monotonic = this.time.monotonic()
    return { wall, monotonic, elapsed: monotonic + this.asleepMs, slackMs: JUMP_MS }
  }

  private readAsleep(): number {
    try {
      return Math.max(this.asleepMs, this.time.asleepMs?.() ?? 0)
    } catch {
      // A sandbox may hide the time since boot. A sleep then looks like a jump, and retention waits.
      return this.asleepMs
    }
  }

  private get aheadMs(): number {
    return this.base && this.candidate ? difference(this.base, this.candidate) : 0
  }
}

/** Wall time minus elapsed time between two readings. */
function difference(from: Reading, to: Reading): number {
  return to.wall - from.wall - (to.elapsed - from.elapsed)
}

function agree(from: Reading, to: Reading): boolean {
  return Math.abs(difference(from, to)) <= from.slackMs + (to.elapsed - from.elapsed) * DRIFT
}

function minutes(ms: number): string {
  return ms < 2 * MINUTE ? `${Math.round(ms / SECOND)} s` : `${Math.round(ms / MINUTE)} min`
}
