/** Decision about one change of a schedule: whether it applies to the stored row, and what it writes. */
import { QueueError } from '../../../shared/errors.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { ScheduleTick } from '../../../shared/schedules/schedule.ts'
import type { NewJob, NewTick, OpOf, OpValue } from '../ops.ts'
import type { ScheduleColumns, TickRow } from '../rows/schedule-rows.ts'

export type ScheduleOp = OpOf<'schedule'>
export type ScheduleOutcome = OpValue<'schedule'>

export const UNCHANGED: ScheduleOutcome = { changed: false, ticks: [] }

export interface ClockState {
  readonly now: number
  /** The clock jumped a short while ago: ticks wait. */
  readonly holdsTicks: boolean
}

/** False: the row changed since the change was decided on, or its tick is not due by this clock. */
export function applies(op: ScheduleOp, row: ScheduleColumns | undefined, { now, holdsTicks }: ClockState): boolean {
  if (op.dueAt !== null && (holdsTicks || now < op.dueAt)) return false
  const { expect } = op
  if (expect === null || row === undefined) return expect === null && row === undefined
  return row.revision === expect.revision && row.nextTickAt === expect.nextTickAt
}

/** What the enqueue of a tick's job returned, or why it was refused. */
export type Enqueued = EnqueueResult | QueueError

export interface Written {
  /** null: the schedule is deleted. */
  readonly row: ScheduleColumns | null
  readonly ticks: readonly TickRow[]
  readonly value: ScheduleOutcome
}

export function decideChange(
  op: ScheduleOp,
  row: ScheduleColumns | undefined,
  enqueued: (job: NewJob) => Enqueued | undefined,
  now: number,
): Written {
  const ticks = op.ticks.map((tick) => recordedTick(op.name, tick, tick.job && enqueued(tick.job), now))
  const value = { changed: true, ticks: ticks.map(({ schedule: _, ...tick }): ScheduleTick => tick) }
  if (op.set === null) return { row: null, ticks: [], value }
  const base = row ?? emptyRow(op.name, now)
  const own = ticks.filter(({ origin, outcome }) => origin === 'tick' && outcome === 'enqueued').length
  const changed = { ...base, ...op.set, runs: (op.set.runs ?? base.runs) + own }
  const rejected = ticks.find(({ outcome, origin }) => outcome === 'rejected' && origin === 'tick')
  return { row: rejected ? pausedBy(changed, rejected.note, now) : endedByRuns(changed, op.maxRuns), ticks, value }
}

/** In the undo record of a bulk operation: the job did not exist before. */
export const NEW_JOB = 'new'

export function recordedTick(
  schedule: string,
  tick: NewTick,
  result: Enqueued | null | undefined,
  now: number,
): TickRow {
  const { at, dueAt, origin, missed } = tick
  const row = { schedule, at, dueAt, processedAt: now, origin, missed, note: tick.note }
  if (result === null || result === undefined) return { ...row, outcome: tick.outcome, jobId: null }
  if (result instanceof QueueError) return { ...row, outcome: 'rejected', jobId: null, note: result.message }
  if (result.id === tick.job?.id) return { ...row, outcome: 'enqueued', jobId: result.id }
  const hasOverlap = tick.job?.groupKey !== null
  const note = hasOverlap ? 'The job of an earlier tick is unfinished.' : 'A job for this tick exists.'
  return { ...row, outcome: 'skipped', jobId: result.id, note }
}

/** A job that cannot be enqueued now cannot be enqueued at the next tick either, until the settings change. */
function pausedBy(row: ScheduleColumns, note: string | null, now: number): ScheduleColumns {
  const pause = { pausedAt: now, pausedBy: 'upkeep', pauseNote: note }
  return { ...row, ...pause, nextTickAt: null, nextRunAt: null, revision: row.revision + 1 }
}

function endedByRuns(row: ScheduleColumns, maxRuns: number | null): ScheduleColumns {
  return maxRuns === null || row.runs < maxRuns ? row : { ...row, nextTickAt: null, nextRunAt: null }
}

function emptyRow(name: string, now: number): ScheduleColumns {
  return {
    ...{ name, nextTickAt: null, nextRunAt: null, lastTickAt: null, runs: 0, owner: null, declared: null },
    ...{ override: '{}', type: '', pauseAfter: null, failures: 0, lastSuccessAt: null, lastFailureAt: null },
    ...{ pausedAt: null, pausedBy: null, pauseNote: null, orphanedAt: null, stopsAt: null },
    ...{ revision: 1, createdAt: now, updatedAt: now },
  }
}

/** The schedule of a settled job; null: none, or a backfill, which is no evidence about its regular jobs. */
export function scheduleOf(tick: string | null): string | null {
  if (tick === null) return null
  const { schedule, backfill }: { readonly schedule: string; readonly backfill: boolean } = JSON.parse(tick)
  return backfill ? null : schedule
}

/** How jobs of one schedule ended in a commit, in order. */
export interface JobsEnded {
  readonly name: string
  readonly isSuccess: boolean
}

export function afterJob(row: ScheduleColumns, isSuccess: boolean, now: number): ScheduleColumns {
  if (isSuccess) return { ...row, failures: 0, lastSuccessAt: now }
  const failed = { ...row, failures: row.failures + 1, lastFailureAt: now }
  if (row.pauseAfter === null || failed.failures < row.pauseAfter || row.pausedAt !== null) return failed
  return pausedBy(failed, `${failed.failures} jobs in a row have failed.`, now)
}
