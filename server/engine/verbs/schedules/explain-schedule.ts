/** Explanation of a schedule: why it does not run, or when it does. */
import { SECOND } from '../../../../shared/limits.ts'
import type { ScheduleExplanation, ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import { formatDuration } from '../explain/explain-format.ts'

export interface ScheduleSituation {
  readonly now: number
  readonly isClockUnsure: boolean
  readonly isQueuePaused: boolean
  readonly isTypePaused: boolean
}

type Reason = Pick<ScheduleExplanation, 'reason' | 'text'>

/** A tick that is this much overdue is not just being processed. */
const OVERDUE_MS = 5_000

export function explainSchedule(row: ScheduleRow, situation: ScheduleSituation): ScheduleExplanation {
  return { name: row.name, state: row.state, at: row.nextRunAt, ...reasonOf(row, situation) }
}

/** With durations and no instants, so that the text needs no time zone. */
function reasonOf(row: ScheduleRow, situation: ScheduleSituation): Reason {
  const { now } = situation
  const { paused, orphanedAt, stopsAt, owner, nextRunAt, effective } = row
  if (paused) {
    const note = paused.note === null ? '' : `: ${paused.note}`
    return {
      reason: 'paused',
      text: `Paused by ${paused.actor} ${ago(now - paused.at)}${note}. Resume it to continue.`,
    }
  }
  if (orphanedAt !== null && nextRunAt === null) {
    const text = `${owner ?? 'Its application'} stopped declaring it ${ago(now - orphanedAt)}, and its grace period is over. Declare it again, or delete it.`
    return { reason: 'stopped_orphaned', text }
  }
  if (nextRunAt === null) return { reason: 'ended', text: ended(row) }
  if (nextRunAt <= situation.now - OVERDUE_MS) {
    return situation.isClockUnsure
      ? {
          reason: 'clock_untrusted',
          text: 'The clock of the server jumped; ticks wait until it has been steady for 5 minutes.',
        }
      : {
          reason: 'overdue',
          text: `Due for ${formatDuration(now - nextRunAt)}, but no server has processed it. Check that one is running.`,
        }
  }
  const next = `The next job is enqueued in ${formatDuration(nextRunAt - now)}`
  if (situation.isQueuePaused)
    return { reason: 'queue_paused', text: `${next}, but the queue is paused: no job starts.` }
  if (situation.isTypePaused) {
    return { reason: 'type_paused', text: `${next}, but type ${effective.type} is paused: its jobs do not start.` }
  }
  if (orphanedAt !== null && stopsAt !== null) {
    const text = `${next}. ${owner ?? 'Its application'} no longer declares it, so it stops in ${formatDuration(stopsAt - now)}.`
    return { reason: 'orphaned', text }
  }
  return { reason: 'waiting', text: `${next}.` }
}

function ended({ runs, effective: { maxRuns, endsAt } }: ScheduleRow): string {
  if (maxRuns !== null && runs >= maxRuns) return `It has reached its limit of ${maxRuns} runs.`
  return endsAt === null ? 'Its rule has no further tick.' : 'It has no further tick before its end.'
}

/** Less than a second is within the time of a call. */
function ago(ms: number): string {
  return ms < SECOND ? 'just now' : `${formatDuration(ms)} ago`
}
