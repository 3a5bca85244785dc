/** Columns of schedules and their ticks, and the records that reads return. */
import type { ScheduleSettings, ScheduleTick } from '../../../shared/schedules/schedule.ts'
import { columnsOf, type Row, type RowOf } from './tables.ts'

export const SCHEDULE = columnsOf('schedules', [
  ...(['name', 'nextTickAt', 'nextRunAt', 'lastTickAt', 'runs', 'owner', 'declared', 'override', 'type'] as const),
  ...(['pauseAfter', 'failures', 'lastSuccessAt', 'lastFailureAt', 'pausedAt', 'pausedBy', 'pauseNote'] as const),
  ...(['orphanedAt', 'stopsAt', 'revision', 'createdAt', 'updatedAt'] as const),
])

/** A row as stored: settings are JSON text. */
export type ScheduleColumns = RowOf<typeof SCHEDULE>

export const TICK = columnsOf('scheduleTicks', [
  ...(['at', 'dueAt', 'processedAt', 'origin', 'outcome', 'jobId', 'missed', 'note'] as const),
])

export type TickRow = Row<'scheduleTicks'>

/** A schedule without what follows from its settings. */
export interface StoredSchedule extends Omit<ScheduleColumns, 'declared' | 'override'> {
  readonly declared: ScheduleSettings | null
  readonly override: ScheduleSettings
}

export function toStoredSchedule({ declared, override, ...row }: ScheduleColumns): StoredSchedule {
  return { ...row, declared: declared === null ? null : JSON.parse(declared), override: JSON.parse(override) }
}

export function toTick({ schedule: _, ...tick }: TickRow): ScheduleTick {
  return tick
}

/** Conditions of the states; see `stateOf` in shared/schedules/state.ts. */
export const STATE_CONDITIONS = {
  paused: 'paused_at IS NOT NULL',
  orphaned: 'paused_at IS NULL AND orphaned_at IS NOT NULL',
  active: 'paused_at IS NULL AND orphaned_at IS NULL AND next_run_at IS NOT NULL',
  ended: 'paused_at IS NULL AND orphaned_at IS NULL AND next_run_at IS NULL',
} as const
