/**
 * Number of jobs that failed permanently in the last five minutes, for the tab title. Old failures are excluded, because a marker
 * that is always on carries no information. It disappears after five minutes, or when the jobs are retried.
 */
import { MINUTE } from '../../../shared/limits.ts'

export const RECENT_MINUTES = 5

interface Minute {
  readonly minute: number
  /** Failed jobs, not failed attempts. */
  readonly dead: number
}

/** `level`: number of jobs that are failed now, whatever their age. */
export function recentFailures(minutes: readonly Minute[], now: number, level: number): number {
  const first = Math.floor(now / MINUTE) - RECENT_MINUTES + 1
  const recent = minutes.reduce((sum, { minute, dead }) => (minute >= first ? sum + dead : sum), 0)
  return Math.min(recent, level)
}
