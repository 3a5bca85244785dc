/** Doctor check of schedules: orphaned, paused by the queue itself, or overdue. */
import { MINUTE } from '../limits.ts'

/** A schedule, as far as the check needs it. */
export interface CheckedSchedule {
  readonly name: string
  readonly nextRunAt: number | null
  /** null: not paused. */
  readonly pausedBy: string | null
  readonly pauseNote: string | null
  readonly orphanedAt: number | null
}

export interface SchedulesFinding {
  readonly check: 'schedules'
  readonly level: 'bad' | 'ok' | 'warn'
  readonly text: string
}

/** The queue pauses a schedule whose jobs it cannot make, or of which too many have failed. */
const BY_QUEUE = 'upkeep'
/** A tick that is later has been missed by every running server. */
const LATE_MS = MINUTE
/** Schedules listed by name; the rest is only counted. */
const MAX_NAMED = 5

/** `total`: how many schedules there are; `schedules`: at least those that are overdue, orphaned or paused by the queue. */
export function checkSchedules(
  schedules: readonly CheckedSchedule[],
  total: number,
  now: number,
): readonly SchedulesFinding[] {
  const paused = schedules.filter(({ pausedBy }) => pausedBy === BY_QUEUE)
  const orphaned = schedules.filter(({ orphanedAt, pausedBy }) => orphanedAt !== null && pausedBy !== BY_QUEUE)
  const overdue = schedules.filter(({ nextRunAt }) => nextRunAt !== null && nextRunAt < now - LATE_MS)
  const findings = [
    finding('bad', overdue, 'due for over a minute: start a server on this queue'),
    finding('warn', paused, 'paused by the queue: correct the cause, then run queuectl schedule resume', true),
    finding('warn', orphaned, 'no longer declared by its application: declare it again, or delete it'),
  ].flatMap((one) => one ?? [])
  if (findings.length > 0) return findings
  return [{ check: 'schedules', level: 'ok', text: total === 0 ? 'none' : `${total}, none overdue or orphaned` }]
}

function finding(
  level: SchedulesFinding['level'],
  schedules: readonly CheckedSchedule[],
  text: string,
  withNotes = false,
): SchedulesFinding | null {
  if (schedules.length === 0) return null
  const named = schedules
    .slice(0, MAX_NAMED)
    .map(({ name, pauseNote }) => (withNotes && pauseNote !== null ? `${name} (${pauseNote})` : name))
  const more = schedules.length - named.length
  return { check: 'schedules', level, text: `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${text}` }
}
