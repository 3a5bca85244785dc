/** Reads of schedules and their ticks. */
import {
  SCHEDULE,
  type ScheduleColumns,
  STATE_CONDITIONS,
  TICK,
  type TickRow,
  toStoredSchedule,
  toTick,
} from '../../rows/schedule-rows.ts'
import type { Reads } from '../../store.ts'
import type { ReadOptions } from './read-options.ts'

type ScheduleReads = Pick<Reads, 'schedules' | 'schedulesNamed' | 'scheduleTicks' | 'dueSchedules' | 'nextScheduleAt'>

const SELECT = `SELECT ${SCHEDULE.list} FROM millrace_schedules`

export function createScheduleReads({ open }: Pick<ReadOptions, 'open'>): ScheduleReads {
  const read = async (text: string, values: readonly unknown[]) =>
    (await open().query<ScheduleColumns>(text, [...values])).rows.map(toStoredSchedule)
  return {
    schedules: ({ search, state, type, cursor, limit }) =>
      read(
        `${SELECT} WHERE name > $1 COLLATE "C" AND ($2::text IS NULL OR type = $2)
           AND ($3::text IS NULL OR strpos(lower(name), lower($3)) > 0 OR strpos(lower(type), lower($3)) > 0)
           AND ${state === null ? 'true' : STATE_CONDITIONS[state]} ORDER BY name COLLATE "C" LIMIT $4`,
        [cursor ?? '', type, search, limit],
      ),
    schedulesNamed: ({ names, owner }) =>
      read(`${SELECT} WHERE name = ANY($1::text[]) OR owner = $2 ORDER BY name COLLATE "C"`, [names, owner]),
    async scheduleTicks(name, limit) {
      const text = `SELECT schedule, ${TICK.list} FROM millrace_schedule_ticks WHERE schedule = $1 ORDER BY at DESC LIMIT $2`
      return (await open().query<TickRow>(text, [name, limit])).rows.map(toTick)
    },
    dueSchedules: ({ now, limit }) =>
      read(`${SELECT} WHERE next_run_at IS NOT NULL AND next_run_at <= $1 ORDER BY next_run_at LIMIT $2`, [now, limit]),
    async nextScheduleAt() {
      const text =
        'SELECT next_run_at AS at FROM millrace_schedules WHERE next_run_at IS NOT NULL ORDER BY next_run_at LIMIT 1'
      return (await open().query<{ readonly at: number }>(text)).rows[0]?.at ?? null
    },
  }
}
