/** A backoff in words. */
import type { Backoff } from '../../../shared/backoff.ts'
import { backoffDelayMs } from '../../../shared/backoff-delay.ts'
import { measured } from '../../lib/format-duration.ts'

/** Without jitter: the middle of what it may be. */
const MIDDLE = 0.5

export function inWords(backoff: Backoff): string {
  if (backoff.kind === 'fixed') return `${measured(backoff.baseMs)} each time`
  const first = [1, 2, 3].map((attempt) => measured(backoffDelayMs(backoff, attempt, MIDDLE)))
  return `${first.join(', ')} … at most ${measured(backoff.capMs)}`
}
