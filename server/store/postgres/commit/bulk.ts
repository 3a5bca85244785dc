/** Bulk operations: one action on all jobs that match a filter, in chunks, with undo. */
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { bulkItems, bulkOperations, jobs } from '../../../../drizzle/postgres/schema.ts'
import type { BulkAction } from '../../../../shared/contracts/operate.ts'
import { QueueError } from '../../../../shared/errors.ts'
import { type State, stateOf } from '../../../../shared/lifecycle.ts'
import type { BulkState } from '../../../../shared/records.ts'
import { isTerminal } from '../../../../shared/status.ts'
import { isUnchanged } from '../../decisions/group-admission.ts'
import { NEW_JOB, recordedTick } from '../../decisions/schedule-change.ts'
import { auditDetails } from '../../list/audit-filter.ts'
import type { BulkOutcome, OpOf, OpValue } from '../../ops.ts'
import { LIVE, type LiveRow } from '../../rows/live-rows.ts'
import type { Session } from '../connection/session.ts'
import type { CommitContext } from './context.ts'
import type { Control } from './control.ts'
import type { Groups } from './groups/groups.ts'
import type { JobActions } from './job-actions.ts'
import type { LiveJobs } from './live-jobs.ts'
import type { Schedules } from './schedules.ts'

type BulkOperation = typeof bulkOperations.$inferSelect
type BulkItem = Pick<typeof bulkItems.$inferSelect, 'seq' | 'version' | 'before' | 'statusAfter'>

const COLUMNS = {
  action: bulkOperations.action,
  state: bulkOperations.state,
  cursor: bulkOperations.cursor,
  startsAt: bulkOperations.startsAt,
  undoUntil: bulkOperations.undoUntil,
  createdAt: bulkOperations.createdAt,
  actor: bulkOperations.actor,
  /** The schedule of a backfill. */
  schedule: sql<string>`coalesce(${bulkOperations.backfill}::jsonb ->> 'schedule', '')`,
  /** The filter lists job ids: then each of these jobs gets an audit entry. */
  hasIds: sql<boolean>`${bulkOperations.filter}::jsonb ? 'ids'`,
}

export class Bulk {
  private readonly session: Session
  private readonly live: LiveJobs
  private readonly groups: Groups
  private readonly jobActions: JobActions
  private readonly control: Control
  private readonly schedules: Schedules

  constructor(
    { session, live, groups }: CommitContext,
    jobActions: JobActions,
    control: Control,
    schedules: Schedules,
  ) {
    this.schedules = schedules
    this.session = session
    this.live = live
    this.groups = groups
    this.jobActions = jobActions
    this.control = control
  }

  /** A removed job cannot be restored, so a `remove` starts only when its undo time is over. */
  async start(op: OpOf<'bulkStart'>): Promise<null> {
    const { db, now } = this.session
    const waits = op.action === 'remove' && op.undoMs > 0
    const undoUntil = now + op.undoMs
    await db.insert(bulkOperations).values({
      ...{ id: op.id, action: op.action, filter: JSON.stringify(op.filter), actor: op.actor },
      ...{ state: waits ? 'waiting' : 'running', startsAt: waits ? undoUntil : now, undoUntil, createdAt: now },
      cursor: sql<number>`(SELECT coalesce(max(${jobs.seq}), 0) + 1 FROM ${jobs})`,
    })
    return this.control.audit({
      actor: op.actor,
      action: `bulk.${op.action}`,
      target: op.id,
      details: auditDetails(op.filter),
    })
  }

  async apply(op: OpOf<'bulkApply'>): Promise<BulkOutcome> {
    const { now } = this.session
    const bulk = await this.find(op.id)
    const open = bulk.state === 'running' || (bulk.state === 'waiting' && now >= bulk.startsAt)
    if (!open || bulk.cursor !== op.from) return { changed: 0, skipped: 0 }
    const { action } = bulk
    if (action === 'backfill') throw wrongBulk(op.id, bulk.state, 'applied to ticks')
    let changed = 0
    for (const id of op.jobs) {
      if (!(await this.applyOne(op.id, action, id))) continue
      changed += 1
      if (bulk.hasIds) this.control.audit({ actor: bulk.actor, action, target: id, details: { bulk: op.id } })
    }
    const skipped = op.jobs.length - changed
    await this.update(op.id, {
      ...{ state: 'running', cursor: op.cursor ?? 0, matched: sql`${bulkOperations.matched} + ${op.jobs.length}` },
      changed: sql`${bulkOperations.changed} + ${changed}`,
      skipped: sql`${bulkOperations.skipped} + ${skipped}`,
    })
    if (op.cursor === null) await this.finish(op.id, 'done', now + undoMs(bulk))
    return { changed, skipped }
  }

  async startBackfill(op: OpOf<'backfillStart'>): Promise<null> {
    const { db, now } = this.session
    const { id, actor, range, type } = op
    await db.insert(bulkOperations).values({
      ...{ id, action: 'backfill', filter: JSON.stringify({ type }), backfill: JSON.stringify(range), actor },
      ...{ state: 'running', startsAt: now, undoUntil: now + op.undoMs, createdAt: now, cursor: range.from - 1 },
    })
    const details = { ...range, bulk: id }
    return this.control.audit({ actor, action: 'schedules.backfill', target: range.schedule, details })
  }

  /** One chunk of ticks, oldest first: the cursor goes up. */
  async applyBackfill(op: OpOf<'backfillApply'>): Promise<BulkOutcome> {
    const { session, schedules } = this
    const bulk = await this.find(op.id)
    if (bulk.state !== 'running' || bulk.cursor !== op.from) return { changed: 0, skipped: 0 }
    const enqueued = await schedules.enqueue(op.ticks.flatMap(({ job }) => job ?? []))
    const ticks = op.ticks.map((tick) =>
      recordedTick(bulk.schedule, tick, tick.job && enqueued.get(tick.job), session.now),
    )
    const added = ticks.flatMap(({ outcome, jobId }) => (outcome === 'enqueued' && jobId !== null ? [jobId] : []))
    await session.run(
      'backfill-remember',
      `INSERT INTO millrace_bulk_items (bulk_id, seq, version, before, status_after)
       SELECT $1, seq, 0, $2, status FROM millrace_jobs WHERE id = ANY($3::text[])`,
      [op.id, NEW_JOB, added],
    )
    schedules.record(ticks)
    const changed = added.length
    const skipped = ticks.length - changed
    await this.update(op.id, {
      ...{ cursor: op.cursor ?? bulk.cursor, matched: sql`${bulkOperations.matched} + ${ticks.length}` },
      changed: sql`${bulkOperations.changed} + ${changed}`,
      skipped: sql`${bulkOperations.skipped} + ${skipped}`,
    })
    if (op.cursor === null) await this.finish(op.id, 'done', session.now + undoMs(bulk))
    return { changed, skipped }
  }

  async cancel(op: OpOf<'bulkCancel'>): Promise<null> {
    const bulk = await this.find(op.id)
    if (bulk.state === 'cancelled') return null
    if (bulk.state !== 'waiting' && bulk.state !== 'running') {
      throw wrongBulk(op.id, bulk.state, 'cancelled while it runs')
    }
    await this.finish(op.id, 'cancelled', this.session.now + undoMs(bulk))
    // Not bulk.cancel: that is the bulk operation which cancels jobs.
    return this.control.audit({ actor: op.actor, action: 'bulk.stop', target: op.id, details: {} })
  }

  async undo(op: OpOf<'bulkUndo'>): Promise<null> {
    const { now } = this.session
    const bulk = await this.find(op.id)
    if (bulk.state === 'undoing' || bulk.state === 'undone') return null
    const inTime = bulk.state === 'waiting' || bulk.state === 'running' || now <= bulk.undoUntil
    if (!inTime) throw wrongBulk(op.id, bulk.state, `undone until ${new Date(bulk.undoUntil).toISOString()}`)
    if (bulk.action === 'remove' && bulk.state !== 'waiting') {
      throw wrongBulk(op.id, bulk.state, 'undone before its first job is removed (cancel stops it)')
    }
    if (bulk.state === 'waiting') await this.finish(op.id, 'undone', now)
    else await this.update(op.id, { state: 'undoing' })
    this.control.audit({ actor: op.actor, action: 'bulk.undo', target: op.id, details: {} })
    if (bulk.hasIds) await this.auditUndo(op)
    return null
  }

  /** Restores the jobs that have not changed since. A job that was claimed in between keeps its new state. */
  async revert(op: OpOf<'bulkRevert'>): Promise<OpValue<'bulkRevert'>> {
    if ((await this.find(op.id)).state !== 'undoing') return { more: false }
    const { db } = this.session
    const { seq, version, before, statusAfter } = bulkItems
    const items: readonly BulkItem[] = await db
      .select({ seq, version, before, statusAfter })
      .from(bulkItems)
      .where(eq(bulkItems.bulkId, op.id))
      .orderBy(asc(seq))
      .limit(op.limit)
    const seqs = items.map((item) => item.seq)
    const locked = await this.lockBySeq(seqs)
    let undone = 0
    for (const item of items) if (await this.restore(locked.get(item.seq), item)) undone += 1
    await db.delete(bulkItems).where(and(eq(bulkItems.bulkId, op.id), inArray(seq, seqs)))
    await this.update(op.id, { undone: sql`${bulkOperations.undone} + ${undone}` })
    const more = items.length === op.limit
    if (!more) await this.finish(op.id, 'undone', this.session.now)
    return { more }
  }

  private async applyOne(bulkId: string, action: BulkAction, id: string): Promise<boolean> {
    const job = this.live.find(id)
    if (!job) return false
    try {
      const result = await this.jobActions.apply(action, id)
      if (!result.changed) return false
      if (action === 'remove') return true
      await this.session.run(
        'bulk-remember',
        `INSERT INTO millrace_bulk_items (bulk_id, seq, version, before, status_after) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
        [bulkId, job.seq, job.version, JSON.stringify(stateOf(job)), result.status],
      )
      return true
    } catch (error) {
      // Refused before the first write: the state of this job does not allow the action. Other jobs may allow it.
      if (error instanceof QueueError) return false
      throw error
    }
  }

  private async auditUndo({ id, actor }: OpOf<'bulkUndo'>): Promise<void> {
    this.live.flush()
    this.control.writeTrail()
    await this.session.run(
      'bulk-audit-undo',
      `INSERT INTO millrace_audit (at, actor, action, target, details)
       SELECT $1, $2, 'bulk.undo', j.id, json_build_object('bulk', i.bulk_id)::text
       FROM millrace_bulk_items i JOIN millrace_jobs j ON j.seq = i.seq
       WHERE i.bulk_id = $3 AND j.version = i.version
         AND (j.status = i.status_after OR (j.status IN ('pending', 'blocked') AND i.status_after IN ('pending', 'blocked')))
       ORDER BY i.seq`,
      [this.session.now, actor, id],
    )
  }

  private async restore(job: LiveRow | undefined, item: BulkItem): Promise<boolean> {
    if (!job || job.version !== item.version || !isUnchanged(job.status, item.statusAfter)) return false
    if (item.before === NEW_JOB) return this.jobActions.removeNew(job)
    const before: State = JSON.parse(item.before)
    try {
      if (isTerminal(job.status) && !isTerminal(before.status)) await this.jobActions.refuseTakenKey(job)
      // A running job keeps its progress; only the cancellation request is withdrawn.
      const next =
        job.status === 'processing'
          ? { ...stateOf(job), cancelRequestedAt: before.cancelRequestedAt }
          : // Items written by an older version lack this column.
            { ...before, unconfirmedClaims: 0 }
      this.live.apply(job, { next, attempt: null })
      return true
    } catch (error) {
      if (error instanceof QueueError) return false
      throw error
    }
  }

  private async lockBySeq(seqs: readonly number[]): Promise<ReadonlyMap<number, LiveRow>> {
    this.live.flush()
    const text = `SELECT ${LIVE.list} FROM millrace_jobs WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR UPDATE`
    const records: Parameters<LiveJobs['keep']>[0] = await this.session.rows('lock-seq', text, [seqs])
    const jobs = this.live.keep(records)
    await this.groups.lockOf(jobs)
    return new Map(jobs.map((job) => [job.seq, job]))
  }

  private async finish(id: string, state: BulkState, undoUntil: number): Promise<void> {
    await this.update(id, { state, finishedAt: this.session.now, undoUntil })
  }

  private async update(id: string, set: PgUpdateSetSource<typeof bulkOperations>): Promise<void> {
    await this.session.db.update(bulkOperations).set(set).where(eq(bulkOperations.id, id))
  }

  /** Locked, so that two leaders that overlap for a moment do not apply the same chunk twice. */
  private async find(id: string) {
    const isNamed = eq(bulkOperations.id, id)
    const [bulk] = await this.session.db.select(COLUMNS).from(bulkOperations).where(isNamed).for('update')
    if (bulk) return bulk
    throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}; finished ones are kept for a day.`, { id })
  }
}

function wrongBulk(id: string, state: BulkState, possible: string): QueueError {
  return new QueueError('WRONG_STATE', `Bulk operation ${id} is ${state}; it can only be ${possible}.`, { id, state })
}

function undoMs({ undoUntil, createdAt }: Pick<BulkOperation, 'undoUntil' | 'createdAt'>): number {
  return undoUntil - createdAt
}
