/** Changes of schedules: a tick with its jobs, or an action, each applied to the row it was decided on or not at all. */

import { scheduleLimits } from '../../../../shared/schedules/limits.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import {
  afterJob,
  applies,
  decideChange,
  type Enqueued,
  type JobsEnded,
  type ScheduleOp,
  type ScheduleOutcome,
  scheduleOf,
  UNCHANGED,
} from '../../decisions/schedule-change.ts'
import type { NewJob } from '../../ops.ts'
import { SCHEDULE, type ScheduleColumns, type TickRow } from '../../rows/schedule-rows.ts'
import { columns, type Session } from '../connection/session.ts'
import type { Control } from './control.ts'

export interface SchedulesOptions {
  readonly session: Session
  readonly control: Control
  readonly trust: ClockTrust
  /** Stores jobs, each alone. */
  readonly enqueue: (jobs: readonly NewJob[]) => Promise<ReadonlyMap<NewJob, Enqueued>>
}

export class Schedules {
  private readonly session: Session
  readonly enqueue: SchedulesOptions['enqueue']
  private readonly control: Control
  private readonly trust: ClockTrust
  /** Rows locked by this commit, as they will be stored. */
  private readonly rows = new Map<string, ScheduleColumns>()
  private readonly ended: JobsEnded[] = []

  constructor({ session, control, trust, enqueue }: SchedulesOptions) {
    this.session = session
    this.enqueue = enqueue
    this.control = control
    this.trust = trust
  }

  /** In the order of names, as in every commit, so that no two commits deadlock. */
  async lock(names: Iterable<string>): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => !this.rows.has(name))
    if (unknown.length === 0) return
    const text = `SELECT ${SCHEDULE.list} FROM millrace_schedules WHERE name = ANY($1::text[]) ORDER BY name COLLATE "C" FOR UPDATE`
    for (const row of await this.session.rows<ScheduleColumns>('lock-schedules', text, [unknown])) {
      this.rows.set(row.name, row)
    }
  }

  /** One insert, one update and one list of ticks for all changes. A name that occurs again is changed in a second round. */
  async changeAll(ops: readonly ScheduleOp[]): Promise<readonly ScheduleOutcome[]> {
    const outcomes = new Map<ScheduleOp, ScheduleOutcome>()
    for (let open = ops; open.length > 0; ) {
      const names = new Set<string>()
      const round = open.filter(({ name }) => !names.has(name) && names.add(name))
      open = open.filter((op) => !round.includes(op))
      await this.changeRound(round, outcomes)
    }
    return ops.map((op) => outcomes.get(op) ?? UNCHANGED)
  }

  private async changeRound(ops: readonly ScheduleOp[], outcomes: Map<ScheduleOp, ScheduleOutcome>): Promise<void> {
    const { now } = this.session
    const clock = { now, holdsTicks: this.trust.holdsTicks }
    const accepted = ops.filter((op) => applies(op, this.rows.get(op.name), clock))
    if (accepted.length === 0) return
    const enqueued = await this.enqueue(accepted.flatMap(({ ticks }) => ticks.flatMap(({ job }) => job ?? [])))
    const changed: ScheduleColumns[] = []
    const removed: string[] = []
    const ticks: TickRow[] = []
    for (const op of accepted) {
      const written = decideChange(op, this.rows.get(op.name), (job) => enqueued.get(job), now)
      if (written.row && op.expect === null && !(await this.create(written.row))) continue
      if (written.row) this.rows.set(op.name, written.row)
      else this.rows.delete(op.name)
      if (written.row && op.expect !== null) changed.push(written.row)
      if (!written.row) removed.push(op.name)
      ticks.push(...written.ticks)
      if (op.entry) this.control.audit({ ...op.entry, target: op.name })
      outcomes.set(op, written.value)
    }
    this.write(changed)
    this.remove(removed)
    this.record(ticks)
  }

  /** False: another node has just created it. */
  private async create(row: ScheduleColumns): Promise<boolean> {
    const text = `INSERT INTO millrace_schedules (${SCHEDULE.names}) SELECT ${SCHEDULE.names}
      FROM jsonb_populate_record(NULL::millrace_schedules, $1::jsonb) ON CONFLICT (name) DO NOTHING`
    return (await this.session.run('create-schedule', text, [encode([row]).slice(1, -1)])) === 1
  }

  /** The rows are locked, or were created by this commit. */
  private write(rows: readonly ScheduleColumns[]): void {
    if (rows.length === 0) return
    const names = SCHEDULE.names.split(', ').filter((name) => name !== 'name')
    this.session.send(
      'write-schedules',
      `UPDATE millrace_schedules s SET ${names.map((name) => `${name} = n.${name}`).join(', ')}
       FROM jsonb_populate_recordset(NULL::millrace_schedules, $1::jsonb) n WHERE s.name = n.name`,
      [encode(rows)],
      rows.length,
    )
  }

  private remove(names: readonly string[]): void {
    if (names.length === 0) return
    this.session.send('remove-schedules', 'DELETE FROM millrace_schedules WHERE name = ANY($1::text[])', [names])
    const text = 'DELETE FROM millrace_schedule_ticks WHERE schedule = ANY($1::text[])'
    this.session.send('remove-schedule-ticks', text, [names])
  }

  record(ticks: readonly TickRow[]): void {
    if (ticks.length === 0) return
    this.session.send(
      'schedule-ticks',
      `INSERT INTO millrace_schedule_ticks (schedule, at, due_at, processed_at, origin, outcome, job_id, missed, note)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[],
         $8::bigint[], $9::text[])
       ON CONFLICT (schedule, at) DO UPDATE SET due_at = excluded.due_at, processed_at = excluded.processed_at,
         origin = excluded.origin, outcome = excluded.outcome, job_id = excluded.job_id, missed = excluded.missed,
         note = excluded.note`,
      columns(ticks, (t) => [
        ...[t.schedule, t.at, t.dueAt, t.processedAt, t.origin, t.outcome, t.jobId, t.missed, t.note],
      ]),
    )
    this.session.send(
      'trim-schedule-ticks',
      `DELETE FROM millrace_schedule_ticks t USING unnest($1::text[]) AS s (name)
       WHERE t.schedule = s.name AND t.at <= (SELECT at FROM millrace_schedule_ticks
         WHERE schedule = s.name ORDER BY at DESC LIMIT 1 OFFSET ${scheduleLimits.ticks})`,
      [[...new Set(ticks.map(({ schedule }) => schedule))]],
    )
  }

  /** A job has completed or failed for good; written by `flush`. Jobs of no schedule cost nothing. */
  jobEnded(tick: string | null, isSuccess: boolean): void {
    const name = scheduleOf(tick)
    if (name !== null) this.ended.push({ name, isSuccess })
  }

  /** At the end of a commit. */
  async flush(): Promise<void> {
    const ended = this.ended.splice(0)
    if (ended.length === 0) return
    await this.lock(ended.map(({ name }) => name))
    const changed = new Set<string>()
    for (const { name, isSuccess } of ended) {
      const row = this.rows.get(name)
      if (!row) continue
      this.rows.set(name, afterJob(row, isSuccess, this.session.now))
      changed.add(name)
    }
    this.write([...changed].flatMap((name) => this.rows.get(name) ?? []))
  }
}

/** Keys in snake_case, as PostgreSQL names the columns. */
function encode(rows: readonly ScheduleColumns[]): string {
  const names = SCHEDULE.names.split(', ')
  const keys = Object.keys(SCHEDULE.at)
  const snake = new Map(keys.map((key, place) => [key, names[place] ?? key]))
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [snake.get(key) ?? key, value]))),
  )
}
