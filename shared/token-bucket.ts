/** A token bucket as plain arithmetic: the stores keep its two numbers in the database. */

export interface Bucket {
  /** Tokens at `refilledAt`; never negative. */
  readonly tokens: number
  readonly refilledAt: number
}

/** A bucket starts full; a clock that went backwards refills nothing and takes nothing. */
export function refill(bucket: Bucket | undefined, rate: number, burst: number, now: number): Bucket {
  if (!bucket) return { tokens: burst, refilledAt: now }
  const elapsedMs = Math.max(0, now - bucket.refilledAt)
  return { tokens: Math.min(burst, bucket.tokens + (elapsedMs * rate) / 1_000), refilledAt: now }
}

/** When the next whole token will be there; `now` if it is there already. */
export function nextTokenAt(bucket: Bucket, rate: number, now: number): number {
  if (wholeTokens(bucket) >= 1) return now
  return now + Math.ceil(((1 - bucket.tokens) * 1_000) / rate)
}

/** Sums of fractions fall a hair short of a whole: 10 × 0.1 is not quite 1. */
export function wholeTokens(bucket: Bucket): number {
  return Math.floor(bucket.tokens + 1e-6)
}
