/** A token bucket as plain arithmetic: the stores keep its two numbers in the database. */

export interface Bucket {
  /** Tokens at `refilledAt`; never negative. */
  readonly tokens: number
  readonly refilledAt: number
}

/** Clocks of several processes differ, and are put right, by so much: time that was counted is then not counted again. */
export const UNSTEADY_MS = 1_000

/**
 * A bucket starts full. A clock that went back refills nothing and takes nothing: it is waited for, or, when it was set
 * back for good, counted from anew.
 */
export function refill(bucket: Bucket | undefined, rate: number, burst: number, now: number): Bucket {
  if (!bucket) return { tokens: burst, refilledAt: now }
  const { refilledAt } = bucket
  const elapsedMs = Math.max(0, now - refilledAt)
  const isUnsteady = now < refilledAt && refilledAt - now <= UNSTEADY_MS
  return {
    tokens: Math.min(burst, bucket.tokens + (elapsedMs * rate) / 1_000),
    refilledAt: isUnsteady ? refilledAt : now,
  }
}

/** When the next whole token will be there; `now` if it is there already. */
export function nextTokenAt(bucket: Bucket, rate: number, now: number): number {
  if (wholeTokens(bucket) >= 1) return now
  return Math.max(now, bucket.refilledAt) + Math.ceil(((1 - bucket.tokens) * 1_000) / rate)
}

/** Sums of fractions fall a hair short of a whole: 10 × 0.1 is not quite 1. */
export function wholeTokens(bucket: Bucket): number {
  return Math.floor(bucket.tokens + 1e-6)
}
