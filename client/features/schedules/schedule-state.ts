/** State and last outcome of a schedule as badges and short texts. */
import type { ScheduleRow, ScheduleState, ScheduleTick, TickOutcome } from '../../../shared/schedules/schedule.ts'
import type { Status } from '../../../shared/status.ts'
import { formatNumber } from '../../lib/format-number.ts'

export const STATE_TONES: Readonly<Record<ScheduleState, Status>> = {
  active: 'completed',
  paused: 'pending',
  orphaned: 'pending',
  ended: 'cancelled',
}

/** Tooltip of the badge; undefined: none. */
export function stateTitle({ paused, owner, stopsAt }: ScheduleRow): string | undefined {
  if (paused) return [`by ${paused.actor}`, paused.note].filter(Boolean).join(': ')
  if (stopsAt !== null) return `${owner ?? 'Its application'} no longer declares it`
  return undefined
}

export interface LastResult {
  readonly status: 'completed' | 'failed'
  readonly at: number
  /** `3 in a row`, or ''. */
  readonly detail: string
}

/** Of its jobs that ended; null: none has ended yet. */
export function lastResult({ lastSuccessAt, lastFailureAt, failures }: ScheduleRow): LastResult | null {
  if (lastFailureAt !== null && lastFailureAt >= (lastSuccessAt ?? 0)) {
    return { status: 'failed', at: lastFailureAt, detail: failures > 1 ? `${formatNumber(failures)} in a row` : '' }
  }
  return lastSuccessAt === null ? null : { status: 'completed', at: lastSuccessAt, detail: '' }
}

export const OUTCOME_TONES: Readonly<Record<TickOutcome, Status>> = {
  enqueued: 'completed',
  skipped: 'cancelled',
  missed: 'pending',
  rejected: 'failed',
}

const OUTCOME_TEXTS: Readonly<Record<TickOutcome, string | null>> = {
  enqueued: null,
  skipped: 'an earlier job was unfinished',
  missed: 'too late to be caught up',
  rejected: null,
}

/** What happened at a tick, beyond its outcome. */
export function tickDetails({ outcome, origin, missed, note }: ScheduleTick): string {
  const earlier = outcome === 'missed' ? missed - 1 : missed
  const parts = [
    origin === 'backfill' && outcome === 'skipped' ? 'it has a job already' : OUTCOME_TEXTS[outcome],
    origin === 'backfill' ? 'backfill' : null,
    earlier > 0 ? `${formatNumber(earlier)} earlier ${earlier === 1 ? 'tick' : 'ticks'} missed` : null,
    note,
  ]
  return parts.filter(Boolean).join(' · ')
}
