/**
 * How many jobs have failed for good in the last five minutes. Every queue has old failures, and a sign that is always there says
 * nothing: this one comes with a failure, and goes when the job is retried or by itself.
 */
import { MINUTE } from '../../../shared/limits.ts'

export const RECENT_MINUTES = 5

interface Minute {
  readonly minute: number
  /** Jobs, not attempts: an attempt that is made again is everyday life. */
  readonly dead: number
}

/** `level`: how many are failed now, however old. */
export function recentFailures(minutes: readonly Minute[], now: number, level: number): number {
  const first = Math.floor(now / MINUTE) - RECENT_MINUTES + 1
  const lately = minutes.reduce((sum, { minute, dead }) => (minute >= first ? sum + dead : sum), 0)
  return Math.min(lately, level)
}
