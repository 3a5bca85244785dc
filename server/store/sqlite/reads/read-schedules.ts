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
import type { Row } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type ScheduleReads = Pick<
  SyncReads,
  'schedules' | 'schedulesNamed' | 'scheduleTicks' | 'dueSchedules' | 'nextScheduleAt'
>

const SELECT = `SELECT ${SCHEDULE.list} FROM millrace_schedules`

export function createScheduleReads(client: Client): ScheduleReads {
  const list = (condition: string) =>
    client.prepare<unknown[], ScheduleColumns>(
      `${SELECT} WHERE name > @cursor AND (@type IS NULL OR type = @type)
         AND (@search IS NULL OR instr(lower(name), lower(@search)) > 0 OR instr(lower(type), lower(@search)) > 0)
         AND ${condition} ORDER BY name LIMIT @limit`,
    )
  const lists = {
    all: list('1'),
    active: list(STATE_CONDITIONS.active),
    paused: list(STATE_CONDITIONS.paused),
    orphaned: list(STATE_CONDITIONS.orphaned),
    ended: list(STATE_CONDITIONS.ended),
  }
  const named = client.prepare<[names: string, owner: string | null], ScheduleColumns>(
    `${SELECT} WHERE name IN (SELECT value FROM json_each(?)) OR owner = ? ORDER BY name`,
  )
  const ticks = client.prepare<[name: string, limit: number], TickRow>(
    `SELECT schedule, ${TICK.list} FROM millrace_schedule_ticks WHERE schedule = ? ORDER BY at DESC LIMIT ?`,
  )
  const due = client.prepare<[now: number, limit: number], ScheduleColumns>(
    `${SELECT} WHERE next_run_at IS NOT NULL AND next_run_at <= ? ORDER BY next_run_at LIMIT ?`,
  )
  const next = client
    .prepare<[], Row<'schedules'>['nextRunAt']>(
      'SELECT min(next_run_at) FROM millrace_schedules WHERE next_run_at IS NOT NULL',
    )
    .pluck()
  return {
    schedules: ({ state, cursor, ...params }) =>
      lists[state ?? 'all'].all({ ...params, cursor: cursor ?? '' }).map(toStoredSchedule),
    schedulesNamed: ({ names, owner }) => named.all(JSON.stringify(names), owner).map(toStoredSchedule),
    scheduleTicks: (name, limit) => ticks.all(name, limit).map(toTick),
    dueSchedules: ({ now, limit }) => due.all(now, limit).map(toStoredSchedule),
    nextScheduleAt: () => next.get() ?? null,
  }
}
