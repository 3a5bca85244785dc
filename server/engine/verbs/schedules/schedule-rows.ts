/** Conversion of stored schedules to the rows that callers get, and the checks of new settings. */
import { QueueError } from '../../../../shared/errors.ts'
import { encodePayload } from '../../../../shared/json/text.ts'
import { describeRule } from '../../../../shared/schedules/describe.ts'
import { upcoming } from '../../../../shared/schedules/due-ticks.ts'
import { nextTick } from '../../../../shared/schedules/rule.ts'
import type { EffectiveSchedule, ScheduleRow, ScheduleSettings } from '../../../../shared/schedules/schedule.ts'
import { effectiveSchedule } from '../../../../shared/schedules/settings.ts'
import { boundedRule, stateOf } from '../../../../shared/schedules/state.ts'
import type { OpOf } from '../../../store/ops.ts'
import type { ScheduleColumns, StoredSchedule } from '../../../store/rows/schedule-rows.ts'

/** The parts of an operation that an action decides. */
export type ScheduleAction = Pick<OpOf<'schedule'>, 'set' | 'entry'> & Partial<Pick<OpOf<'schedule'>, 'ticks'>>

export function noSchedule(name: string): QueueError {
  return new QueueError('NOT_FOUND', `There is no schedule ${name}; schedules.list returns their names.`, { name })
}

export function offsetWithoutInterval(name: string): QueueError {
  const text = `set.offset: shifts the ticks of every, but schedule ${name} has a cron expression; shift the time in it instead.`
  return new QueueError('BAD_INPUT', text, { name })
}

export function toScheduleRow(stored: StoredSchedule): ScheduleRow {
  const { type: _, pauseAfter: __, pausedAt, pausedBy, pauseNote, ...row } = stored
  const effective = effectiveSchedule(stored.declared, stored.override)
  return {
    ...row,
    effective,
    text: describeRule(effective),
    state: stateOf(stored),
    paused: pausedAt === null ? null : { at: pausedAt, actor: pausedBy ?? 'unknown', note: pauseNote },
  }
}

/** Columns that follow from settings. Throws BAD_INPUT when they do not fit together. */
export function settingsColumns(
  declared: ScheduleSettings | null,
  override: ScheduleSettings,
  maxPayloadBytes: number,
): Pick<ScheduleColumns, 'declared' | 'override' | 'type' | 'pauseAfter'> {
  const effective = effectiveSchedule(declared, override)
  requireComplete(effective)
  encodePayload(effective.payload, maxPayloadBytes, 'payload')
  return {
    declared: declared === null ? null : JSON.stringify(declared),
    override: JSON.stringify(override),
    type: effective.type,
    pauseAfter: effective.pauseAfterFailures,
  }
}

function requireComplete({ type, cron, every, startsAt, endsAt }: EffectiveSchedule): void {
  if (type === '') throw new QueueError('BAD_INPUT', 'The schedule has no type; set the type of its jobs.')
  if ((cron === null) === (every === null)) {
    throw new QueueError('BAD_INPUT', 'A schedule needs either cron or every; set one of them.')
  }
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    throw new QueueError(
      'BAD_INPUT',
      'endsAt is not after startsAt, so the schedule would never run; correct one of them.',
    )
  }
}

/** Columns of the next tick after `after`; both null while the schedule is paused. */
export function nextColumns(
  { name, pausedAt, stopsAt, runs }: Pick<StoredSchedule, 'name' | 'pausedAt' | 'stopsAt' | 'runs'>,
  effective: EffectiveSchedule,
  after: number,
): Pick<ScheduleColumns, 'nextTickAt' | 'nextRunAt'> {
  const rule = boundedRule(effective, stopsAt)
  const isOver = pausedAt !== null || (effective.maxRuns !== null && runs >= effective.maxRuns)
  return upcoming(rule, name, isOver ? null : nextTick(rule, after))
}

const RULE_KEYS = ['cron', 'every', 'offset', 'timezone', 'startsAt', 'endsAt', 'except', 'spread', 'maxRuns'] as const

/** Whether two settings have the same ticks: then the next tick stays, and with it what is still to be caught up. */
export function haveSameTicks(one: EffectiveSchedule, other: EffectiveSchedule): boolean {
  return RULE_KEYS.every((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]))
}

/** After a clock was set back, ticks that were processed do not come again. */
export function laterOf(now: number, { lastTickAt }: Pick<StoredSchedule, 'lastTickAt'>): number {
  return Math.max(now, lastTickAt ?? now)
}

/** Payloads may hold secrets and are not part of the audit trail. */
export function withoutPayload<Settings extends { readonly payload?: unknown }>({ payload: _, ...rest }: Settings) {
  return rest
}
