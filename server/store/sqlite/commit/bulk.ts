/** Bulk operations: one action on all jobs that match a filter, in chunks, with undo. */
import { eq, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { bulkOperations, jobs } from '../../../../drizzle/sqlite/schema.ts'
import type { BulkAction } from '../../../../shared/contracts/operate.ts'
import { QueueError } from '../../../../shared/errors.ts'
import { type State, stateOf } from '../../../../shared/lifecycle.ts'
import type { BulkState } from '../../../../shared/records.ts'
import { isTerminal } from '../../../../shared/status.ts'
import { isUnchanged } from '../../decisions/group-admission.ts'
import { NEW_JOB, recordedTick } from '../../decisions/schedule-change.ts'
import { auditDetails } from '../../list/audit-filter.ts'
import type { BulkOutcome, OpOf, OpValue } from '../../ops.ts'
import { LIVE, type LiveTuple, liveFromTuple } from '../../rows/live-rows.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import { type Client, type QueryBuilder, queryBuilder } from '../connection/open.ts'
import type { Control } from './control.ts'
import type { JobActions } from './job-actions.ts'
import type { LiveJobs } from './live-jobs.ts'
import type { Schedules } from './schedules.ts'

type BulkOperation = typeof bulkOperations.$inferSelect
type BulkItem = RowOf<typeof ITEM>

const ITEM = columnsOf('bulkItems', ['seq', 'version', 'before', 'statusAfter'])

const COLUMNS = {
  action: bulkOperations.action,
  state: bulkOperations.state,
  cursor: bulkOperations.cursor,
  startsAt: bulkOperations.startsAt,
  undoUntil: bulkOperations.undoUntil,
  createdAt: bulkOperations.createdAt,
  actor: bulkOperations.actor,
  /** The filter lists job ids: then each of these jobs gets an audit entry. */
  /** The schedule of a backfill. */
  schedule: sql<string>`coalesce(${bulkOperations.backfill} ->> '$.schedule', '')`,
  hasIds: sql<0 | 1>`json_type(${bulkOperations.filter}, '$.ids') IS NOT NULL`,
}

export class Bulk {
  private readonly db: QueryBuilder
  private readonly live: LiveJobs
  private readonly jobActions: JobActions
  private readonly control: Control
  private readonly schedules: Schedules
  private readonly statements

  constructor(client: Client, live: LiveJobs, jobActions: JobActions, control: Control, schedules: Schedules) {
    this.schedules = schedules
    this.db = queryBuilder(client)
    this.live = live
    this.jobActions = jobActions
    this.control = control
    // Prepared, because they run once per job.
    this.statements = {
      remember: client.prepare(
        'INSERT OR IGNORE INTO millrace_bulk_items (bulk_id, seq, version, before, status_after) VALUES (?, ?, ?, ?, ?)',
      ),
      items: client.prepare<[string, number], BulkItem>(
        `SELECT ${ITEM.list} FROM millrace_bulk_items WHERE bulk_id = ? LIMIT ?`,
      ),
      auditUndo: client.prepare(
        `INSERT INTO millrace_audit (at, actor, action, target, details)
         SELECT ?, ?, 'bulk.undo', j.id, json_object('bulk', i.bulk_id) FROM millrace_bulk_items i JOIN millrace_jobs j ON j.seq = i.seq
         WHERE i.bulk_id = ? AND j.version = i.version
           AND (j.status = i.status_after OR (j.status IN ('pending', 'blocked') AND i.status_after IN ('pending', 'blocked')))
         ORDER BY i.seq`,
      ),
      forget: client.prepare('DELETE FROM millrace_bulk_items WHERE bulk_id = ? AND seq = ?'),
      job: client.prepare<[number], LiveTuple>(`SELECT ${LIVE.names} FROM millrace_jobs WHERE seq = ?`).raw(),
    }
  }

  /** A removed job cannot be restored, so a `remove` starts only when its undo time is over. */
  start(op: OpOf<'bulkStart'>, now: number): null {
    const waits = op.action === 'remove' && op.undoMs > 0
    const undoUntil = now + op.undoMs
    this.db
      .insert(bulkOperations)
      .values({
        ...{ id: op.id, action: op.action, filter: JSON.stringify(op.filter), actor: op.actor },
        ...{ state: waits ? 'waiting' : 'running', startsAt: waits ? undoUntil : now, undoUntil, createdAt: now },
        cursor: sql<number>`(SELECT coalesce(max(${jobs.seq}), 0) + 1 FROM ${jobs})`,
      })
      .run()
    this.control.audit(
      { actor: op.actor, action: `bulk.${op.action}`, target: op.id, details: auditDetails(op.filter) },
      now,
    )
    return null
  }

  apply(op: OpOf<'bulkApply'>, now: number): BulkOutcome {
    const bulk = this.find(op.id)
    const open = bulk.state === 'running' || (bulk.state === 'waiting' && now >= bulk.startsAt)
    if (!open || bulk.cursor !== op.from) return { changed: 0, skipped: 0 }
    const { action } = bulk
    if (action === 'backfill') throw wrongBulk(op.id, bulk.state, 'applied to ticks')
    let changed = 0
    for (const id of op.jobs) {
      if (!this.applyOne(op.id, action, id, now)) continue
      changed += 1
      if (bulk.hasIds) this.control.audit({ actor: bulk.actor, action, target: id, details: { bulk: op.id } }, now)
    }
    const skipped = op.jobs.length - changed
    this.update(op.id, {
      ...{ state: 'running', cursor: op.cursor ?? 0, matched: sql`${bulkOperations.matched} + ${op.jobs.length}` },
      changed: sql`${bulkOperations.changed} + ${changed}`,
      skipped: sql`${bulkOperations.skipped} + ${skipped}`,
    })
    if (op.cursor === null) this.finish(op.id, 'done', now, now + undoMs(bulk))
    return { changed, skipped }
  }

  startBackfill(op: OpOf<'backfillStart'>, now: number): null {
    const { id, actor, range, type } = op
    this.db
      .insert(bulkOperations)
      .values({
        ...{ id, action: 'backfill', filter: JSON.stringify({ type }), backfill: JSON.stringify(range), actor },
        ...{ state: 'running', startsAt: now, undoUntil: now + op.undoMs, createdAt: now, cursor: range.from - 1 },
      })
      .run()
    this.control.audit(
      { actor, action: 'schedules.backfill', target: range.schedule, details: { ...range, bulk: id } },
      now,
    )
    return null
  }

  /** One chunk of ticks, oldest first: the cursor goes up. */
  applyBackfill(op: OpOf<'backfillApply'>, now: number): BulkOutcome {
    const bulk = this.find(op.id)
    if (bulk.state !== 'running' || bulk.cursor !== op.from) return { changed: 0, skipped: 0 }
    const ticks = op.ticks.map((tick) => {
      const result = tick.job && this.schedules.enqueue(tick.job, now)
      if (tick.job && result && !(result instanceof QueueError) && result.id === tick.job.id) {
        const seq = this.live.get(result.id).seq
        this.statements.remember.run(op.id, seq, 0, NEW_JOB, result.status)
      }
      return recordedTick(bulk.schedule, tick, result, now)
    })
    this.schedules.record(ticks)
    const changed = ticks.filter(({ outcome }) => outcome === 'enqueued').length
    const skipped = ticks.length - changed
    this.update(op.id, {
      ...{ cursor: op.cursor ?? bulk.cursor, matched: sql`${bulkOperations.matched} + ${ticks.length}` },
      changed: sql`${bulkOperations.changed} + ${changed}`,
      skipped: sql`${bulkOperations.skipped} + ${skipped}`,
    })
    if (op.cursor === null) this.finish(op.id, 'done', now, now + undoMs(bulk))
    return { changed, skipped }
  }

  cancel(op: OpOf<'bulkCancel'>, now: number): null {
    const bulk = this.find(op.id)
    if (bulk.state === 'cancelled') return null
    if (bulk.state !== 'waiting' && bulk.state !== 'running')
      throw wrongBulk(op.id, bulk.state, 'cancelled while it runs')
    this.finish(op.id, 'cancelled', now, now + undoMs(bulk))
    // Not bulk.cancel: that is the bulk operation which cancels jobs.
    this.control.audit({ actor: op.actor, action: 'bulk.stop', target: op.id, details: {} }, now)
    return null
  }

  undo(op: OpOf<'bulkUndo'>, now: number): null {
    const bulk = this.find(op.id)
    if (bulk.state === 'undoing' || bulk.state === 'undone') return null
    const inTime = bulk.state === 'waiting' || bulk.state === 'running' || now <= bulk.undoUntil
    if (!inTime) throw wrongBulk(op.id, bulk.state, `undone until ${new Date(bulk.undoUntil).toISOString()}`)
    if (bulk.action === 'remove' && bulk.state !== 'waiting') {
      throw wrongBulk(op.id, bulk.state, 'undone before its first job is removed (cancel stops it)')
    }
    if (bulk.state === 'waiting') this.finish(op.id, 'undone', now, now)
    else this.update(op.id, { state: 'undoing' })
    this.control.audit({ actor: op.actor, action: 'bulk.undo', target: op.id, details: {} }, now)
    if (bulk.hasIds) this.statements.auditUndo.run(now, op.actor, op.id)
    return null
  }

  /** Restores the jobs that have not changed since. A job that was claimed in between keeps its new state. */
  revert(op: OpOf<'bulkRevert'>, now: number): OpValue<'bulkRevert'> {
    if (this.find(op.id).state !== 'undoing') return { more: false }
    const items = this.statements.items.all(op.id, op.limit)
    let undone = 0
    for (const item of items) {
      if (this.restore(item, now)) undone += 1
      this.statements.forget.run(op.id, item.seq)
    }
    this.update(op.id, { undone: sql`${bulkOperations.undone} + ${undone}` })
    const more = items.length === op.limit
    if (!more) this.finish(op.id, 'undone', now, now)
    return { more }
  }

  private applyOne(bulkId: string, action: BulkAction, id: string, now: number): boolean {
    const job = this.live.find(id)
    if (!job) return false
    try {
      const result = this.jobActions.apply(action, id, now)
      if (!result.changed) return false
      if (action === 'remove') return true
      const before = JSON.stringify(stateOf(job))
      this.statements.remember.run(bulkId, job.seq, job.version, before, result.status)
      return true
    } catch (error) {
      // Refused before the first write: the state of this job does not allow the action. Other jobs may allow it.
      if (error instanceof QueueError) return false
      throw error
    }
  }

  private restore(item: BulkItem, now: number): boolean {
    const row = this.statements.job.get(item.seq)
    if (!row) return false
    const job = liveFromTuple(row)
    if (job.version !== item.version || !isUnchanged(job.status, item.statusAfter)) return false
    if (item.before === NEW_JOB) return this.jobActions.removeNew(job, now)
    const before: State = JSON.parse(item.before)
    try {
      if (isTerminal(job.status) && !isTerminal(before.status)) this.jobActions.refuseTakenKey(job)
      // A running job keeps its progress; only the cancellation request is withdrawn.
      const next =
        job.status === 'processing'
          ? { ...stateOf(job), cancelRequestedAt: before.cancelRequestedAt }
          : // Items written by an older version lack this column.
            { ...before, unconfirmedClaims: 0 }
      this.live.apply(job, { next, attempt: null }, now)
      return true
    } catch (error) {
      if (error instanceof QueueError) return false
      throw error
    }
  }

  private find(id: string) {
    const bulk = this.db.select(COLUMNS).from(bulkOperations).where(eq(bulkOperations.id, id)).get()
    if (bulk) return bulk
    throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}; finished ones are kept for a day.`, { id })
  }

  private finish(id: string, state: BulkState, now: number, undoUntil: number): void {
    this.update(id, { state, finishedAt: now, undoUntil })
  }

  private update(id: string, set: SQLiteUpdateSetSource<typeof bulkOperations>): void {
    this.db.update(bulkOperations).set(set).where(eq(bulkOperations.id, id)).run()
  }
}

function undoMs({ undoUntil, createdAt }: Pick<BulkOperation, 'undoUntil' | 'createdAt'>): number {
  return undoUntil - createdAt
}

function wrongBulk(id: string, state: BulkState, possible: string): QueueError {
  return new QueueError('WRONG_STATE', `Bulk operation ${id} is ${state}; it can only be ${possible}.`, { id, state })
}
