/** Backoff arithmetic, separate from the zod schemas so that browsers can load it alone. */
import type { Backoff } from './backoff.ts'

/** Delay after the `attempt`-th failure (1 = the first); `random` is in [0, 1). Jitter never exceeds the cap. */
export function backoffDelayMs(backoff: Backoff, attempt: number, random: number): number {
  const plain = plainDelayMs(backoff, Math.max(1, attempt))
  const jittered = Math.round(plain * (1 + backoff.jitter * (2 * random - 1)))
  return backoff.kind === 'fixed' ? jittered : Math.min(jittered, backoff.capMs)
}

function plainDelayMs(backoff: Backoff, attempt: number): number {
  switch (backoff.kind) {
    case 'fixed':
      return backoff.baseMs
    case 'linear':
      return Math.min(backoff.baseMs * attempt, backoff.capMs)
    case 'exponential': {
      if (attempt >= (backoff.capFrom ?? Number.POSITIVE_INFINITY)) return backoff.capMs
      // A high power is Infinity, and 0 * Infinity is NaN.
      const growth = Math.min(backoff.factor ** (attempt - 1), Number.MAX_SAFE_INTEGER)
      return Math.min(backoff.baseMs * growth, backoff.capMs)
    }
  }
}
