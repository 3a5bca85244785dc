/** The store operation that processes the due ticks of a schedule. */
import { dueTicks, upcoming } from '../../../shared/schedules/due-ticks.ts'
import { effectiveSchedule } from '../../../shared/schedules/settings.ts'
import { boundedRule } from '../../../shared/schedules/state.ts'
import type { NewTick, OpOf } from '../../store/ops.ts'
import type { StoredSchedule } from '../../store/rows/schedule-rows.ts'
import { scheduleJob, tickKey } from './schedule-job.ts'

type ScheduleOp = OpOf<'schedule'>

/** `max`: ticks that the operation enqueues. null: nothing is due. A schedule whose jobs cannot be made is paused. */
export function planTick(row: StoredSchedule, now: number, max: number, maxPayloadBytes: number): ScheduleOp | null {
  const { nextTickAt, nextRunAt } = row
  if (nextTickAt === null || nextRunAt === null || nextRunAt > now) return null
  const base = {
    kind: 'schedule',
    name: row.name,
    expect: { revision: row.revision, nextTickAt },
    dueAt: nextRunAt,
    entry: null,
  } as const
  try {
    return { ...base, ...changeOf(row, nextTickAt, now, max, maxPayloadBytes) }
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    const tick = {
      at: nextTickAt,
      dueAt: nextRunAt,
      origin: 'tick',
      outcome: 'rejected',
      missed: 0,
      note,
      job: null,
    } as const
    return { ...base, maxRuns: null, set: {}, ticks: [tick] }
  }
}

function changeOf(
  row: StoredSchedule,
  nextTickAt: number,
  now: number,
  max: number,
  maxPayloadBytes: number,
): Pick<ScheduleOp, 'set' | 'ticks' | 'maxRuns'> {
  const { name, lastTickAt, runs } = row
  const effective = effectiveSchedule(row.declared, row.override)
  const rule = boundedRule(effective, row.stopsAt)
  const plan = dueTicks(rule, { name, nextTickAt, lastTickAt, runs }, now, max)
  const { maxRuns } = effective
  // The stored due time is earlier than that of the rule: another version computed it.
  if (!plan) return { maxRuns, ticks: [], set: upcoming(rule, name, nextTickAt) }
  const ticks = plan.ticks.map(({ at, dueAt, outcome, previous, missed }): NewTick => {
    const tick = { schedule: name, at, previous, missed, backfill: false }
    const job =
      outcome === 'missed' ? null : scheduleJob({ effective, tick, now, dedupeKey: tickKey(name, at), maxPayloadBytes })
    return { at, dueAt, origin: 'tick', outcome, missed, note: null, job }
  })
  return {
    maxRuns,
    ticks,
    set: { nextTickAt: plan.nextTickAt, nextRunAt: plan.nextRunAt, lastTickAt: plan.lastTickAt },
  }
}
