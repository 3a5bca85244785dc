/** Changes of schedules: a tick with its jobs, or an action, each applied to the row it was decided on or not at all. */

import { QueueError } from '../../../../shared/errors.ts'
import { scheduleLimits } from '../../../../shared/schedules/limits.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import {
  afterJob,
  applies,
  decideChange,
  type Enqueued,
  type ScheduleOp,
  type ScheduleOutcome,
  scheduleOf,
  UNCHANGED,
} from '../../decisions/schedule-change.ts'
import type { NewJob } from '../../ops.ts'
import { SCHEDULE, type ScheduleColumns, type TickRow } from '../../rows/schedule-rows.ts'
import type { Client } from '../connection/open.ts'
import type { Control } from './control.ts'
import type { Insert } from './insert.ts'

export interface SchedulesOptions {
  readonly client: Client
  readonly insert: Insert
  readonly control: Control
  readonly trust: ClockTrust
}

export class Schedules {
  private readonly insert: Insert
  private readonly control: Control
  private readonly trust: ClockTrust
  private readonly statements

  constructor({ client, insert, control, trust }: SchedulesOptions) {
    this.insert = insert
    this.control = control
    this.trust = trust
    const names = SCHEDULE.names.split(', ')
    this.statements = {
      find: client.prepare<[name: string], ScheduleColumns>(
        `SELECT ${SCHEDULE.list} FROM main.millrace_schedules WHERE name = ?`,
      ),
      write: client.prepare(
        `INSERT INTO main.millrace_schedules (${SCHEDULE.names}) VALUES (${Object.keys(SCHEDULE.at)
          .map((key) => `@${key}`)
          .join(', ')})
         ON CONFLICT (name) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      ),
      remove: client.prepare('DELETE FROM main.millrace_schedules WHERE name = ?'),
      removeTicks: client.prepare('DELETE FROM main.millrace_schedule_ticks WHERE schedule = ?'),
      writeTick: client.prepare(
        `INSERT OR REPLACE INTO main.millrace_schedule_ticks
           (schedule, at, due_at, processed_at, origin, outcome, job_id, missed, note)
         VALUES (@schedule, @at, @dueAt, @processedAt, @origin, @outcome, @jobId, @missed, @note)`,
      ),
      trimTicks: client.prepare(
        `DELETE FROM main.millrace_schedule_ticks WHERE schedule = ? AND at <= (
           SELECT at FROM main.millrace_schedule_ticks WHERE schedule = ? ORDER BY at DESC LIMIT 1 OFFSET ${scheduleLimits.ticks})`,
      ),
    }
  }

  change(op: ScheduleOp, now: number): ScheduleOutcome {
    const row = this.statements.find.get(op.name)
    if (!applies(op, row, { now, holdsTicks: this.trust.holdsTicks })) return UNCHANGED
    const enqueued = new Map<NewJob, Enqueued>()
    for (const { job } of op.ticks) if (job) enqueued.set(job, this.enqueue(job, now))
    const written = decideChange(op, row, (job) => enqueued.get(job), now)
    if (written.row) this.statements.write.run(written.row)
    else this.remove(op.name)
    this.record(written.ticks)
    if (op.entry) this.control.audit({ ...op.entry, target: op.name }, now)
    return written.value
  }

  /** A refusal is thrown before the first write of the insert. */
  enqueue(job: NewJob, now: number): Enqueued {
    try {
      const [result] = this.insert.enqueue({ kind: 'enqueue', jobs: [job] }, now)
      if (result) return result
    } catch (error) {
      if (error instanceof QueueError) return error
      throw error
    }
    throw new Error(`Job ${job.id} was neither inserted nor found.`)
  }

  record(ticks: readonly TickRow[]): void {
    for (const tick of ticks) this.statements.writeTick.run(tick)
    const [first] = ticks
    if (first) this.statements.trimTicks.run(first.schedule, first.schedule)
  }

  /** A job has completed or failed for good. Jobs of no schedule cost nothing. */
  jobEnded(tick: string | null, isSuccess: boolean, now: number): void {
    const name = scheduleOf(tick)
    const row = name === null ? undefined : this.statements.find.get(name)
    if (row) this.statements.write.run(afterJob(row, isSuccess, now))
  }

  private remove(name: string): void {
    this.statements.remove.run(name)
    this.statements.removeTicks.run(name)
  }
}
