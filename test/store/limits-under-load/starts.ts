/** Checks the recorded starts of jobs: no limit may be exceeded at any moment. */

/** Written by triggers in the transaction that starts the job. */
export interface Start {
  readonly type: string
  readonly at: number
  /** Running jobs of the type, this one included, and the limit. */
  readonly running: number
  readonly most: number | null
  /** 1 when the type or the queue is paused. */
  readonly paused: number
  readonly rate: number | null
  readonly burst: number | null
  /** When these settings were written. */
  readonly settingsWrittenAt: number | null
}

/** Tolerance for sums of fractions. */
const TOLERANCE = 1e-3

/** Starts of more jobs than may run at once, or of paused ones. */
export function startsOverLimitOrPaused(starts: readonly Start[]): readonly Start[] {
  return starts.filter(({ running, most, paused }) => paused > 0 || (most !== null && running > most))
}

/**
 * Starts beyond burst + rate × time, in any window: the simulated bucket must never become negative. It is full when the settings
 * change, which is the most that is allowed.
 */
export function startsOverRate(starts: readonly Start[]): readonly Start[] {
  const limited = starts.filter(({ rate }) => rate !== null).toSorted((a, b) => a.at - b.at)
  let bucket = { tokens: 0, at: 0, settingsWrittenAt: -1 }
  return limited.filter(({ at, rate, burst, settingsWrittenAt }) => {
    if (rate === null || burst === null || settingsWrittenAt === null) return true
    const before =
      bucket.settingsWrittenAt === settingsWrittenAt ? bucket.tokens + ((at - bucket.at) * rate) / 1_000 : burst
    bucket = { tokens: Math.min(burst, before) - 1, at, settingsWrittenAt }
    return bucket.tokens < -TOLERANCE
  })
}
