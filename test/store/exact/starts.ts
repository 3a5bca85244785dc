/** Judges what a database wrote down at every start of a job: no limit may have been overstepped, not even for an instant. */

/** Written by triggers, inside the very transaction that starts the job. */
export interface Start {
  readonly type: string
  readonly at: number
  /** Jobs of the type that run, this one included; and how many may. */
  readonly running: number
  readonly most: number | null
  /** 1 when the type or the queue is paused. */
  readonly paused: number
  readonly rate: number | null
  readonly burst: number | null
  /** When the settings were written that it names. */
  readonly rules: number | null
}

/** Sums of fractions. */
const HAIR = 1e-3

/** Starts of more jobs than may run at once, or of paused ones. */
export function trespasses(starts: readonly Start[]): readonly Start[] {
  return starts.filter(({ running, most, paused }) => paused > 0 || (most !== null && running > most))
}

/**
 * Starts beyond burst + rate × time, in any window: a bucket that is filled and emptied by the book never runs dry. It is
 * full when the rules change, which is the most that anybody may hope for.
 */
export function excesses(starts: readonly Start[]): readonly Start[] {
  const limited = starts.filter(({ rate }) => rate !== null).toSorted((a, b) => a.at - b.at)
  let bucket = { tokens: 0, at: 0, rules: -1 }
  return limited.filter(({ at, rate, burst, rules }) => {
    if (rate === null || burst === null || rules === null) return true
    const before = bucket.rules === rules ? bucket.tokens + ((at - bucket.at) * rate) / 1_000 : burst
    bucket = { tokens: Math.min(burst, before) - 1, at, rules }
    return bucket.tokens < -HAIR
  })
}
