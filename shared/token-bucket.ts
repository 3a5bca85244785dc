/** Token bucket arithmetic. The stores keep the two numbers in the database. */

export interface Bucket {
  /** Tokens at `refilledAt`; never negative. */
  readonly tokens: number
  readonly refilledAt: number
}

/** Tolerated clock difference between processes: a clock that is behind by less refills nothing. */
export const CLOCK_TOLERANCE_MS = 1_000

/**
 * A bucket starts full. A clock that went back a little refills nothing until it catches up. A clock that was set back by
 * more becomes the new reference.
 */
export function refill(bucket: Bucket | undefined, rate: number, burst: number, now: number): Bucket {
  if (!bucket) return { tokens: burst, refilledAt: now }
  const { refilledAt } = bucket
  const elapsedMs = Math.max(0, now - refilledAt)
  const isBehind = now < refilledAt && refilledAt - now <= CLOCK_TOLERANCE_MS
  return {
    tokens: Math.min(burst, bucket.tokens + (elapsedMs * rate) / 1_000),
    refilledAt: isBehind ? refilledAt : now,
  }
}

/** Time of the next whole token; `now` if one is available. */
export function nextTokenAt(bucket: Bucket, rate: number, now: number): number {
  if (wholeTokens(bucket) >= 1) return now
  return Math.max(now, bucket.refilledAt) + Math.ceil(((1 - bucket.tokens) * 1_000) / rate)
}

/** Tolerates rounding errors: 10 × 0.1 is slightly less than 1. */
export function wholeTokens(bucket: Bucket): number {
  return Math.floor(bucket.tokens + 1e-6)
}
