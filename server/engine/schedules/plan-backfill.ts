/** One chunk of a backfill: the next ticks of its range, oldest first. */
import { QueueError } from '../../../shared/errors.ts'
import type { BackfillRange } from '../../../shared/records.ts'
import { nextTicks } from '../../../shared/schedules/rule.ts'
import { effectiveSchedule } from '../../../shared/schedules/settings.ts'
import type { OpOf } from '../../store/ops.ts'
import type { Store } from '../../store/store.ts'
import { scheduleJob, tickKey } from './schedule-job.ts'

const CHUNK = 100

/** `from`: the last tick of the chunk before. Throws NOT_FOUND when the schedule was deleted meanwhile. */
export async function planBackfill(
  store: Store,
  id: string,
  from: number,
  range: BackfillRange,
  maxPayloadBytes: number,
): Promise<OpOf<'backfillApply'>> {
  const { schedule } = range
  const [row] = await store.schedulesNamed({ names: [schedule], owner: null })
  if (!row) throw new QueueError('NOT_FOUND', `Schedule ${schedule} was deleted, so its backfill has stopped.`)
  const now = await store.now()
  const effective = effectiveSchedule(row.declared, row.override)
  const ticks = nextTicks({ ...effective, spread: 0 }, from, CHUNK).filter((at) => at <= range.to)
  const suffix = range.again ? `:${id.slice(-8)}` : ''
  return {
    kind: 'backfillApply',
    id,
    from,
    cursor: ticks.length < CHUNK ? null : (ticks.at(-1) ?? null),
    ticks: ticks.map((at, place) => {
      const previous = ticks[place - 1] ?? null
      const tick = { schedule, at, previous, missed: 0, backfill: true }
      const dedupeKey = `${tickKey(schedule, at)}${suffix}`
      const job = scheduleJob({ effective, tick, now, dedupeKey, maxPayloadBytes })
      return { at, dueAt: at, origin: 'backfill', outcome: 'enqueued', missed: 0, note: null, job }
    }),
  }
}
