/** Acts on everything that matches a filter, a chunk per commit, with a record of what was for undo. */
import { QueueError } from '../../../../shared/errors.ts'
import { type State, stateOf } from '../../../../shared/lifecycle.ts'
import { isTerminal, type Status } from '../../../../shared/status.ts'
import { told } from '../../list/audit-filter.ts'
import type { BulkOutcome, OpOf, OpValue } from '../../ops.ts'
import type { BulkState } from '../../records.ts'
import type { Session } from '../connection/session.ts'
import type { Control } from './control.ts'
import type { Act } from './job-actions.ts'
import type { LiveJobs, LiveRow } from './live-jobs.ts'
import { LIVE_COLUMNS } from './live-jobs.ts'

interface BulkRecord {
  readonly action: OpOf<'bulkStart'>['action']
  readonly state: BulkState
  readonly cursor: number
  readonly startsAt: number
  readonly undoUntil: number
  readonly undoMs: number
  readonly actor: string
  /** Its jobs were named one by one: the trail of each tells of it. */
  readonly isNamed: boolean
}

interface Item {
  readonly seq: number
  readonly version: number
  readonly before: string
  readonly statusAfter: Status
}

export class Bulk {
  private readonly session: Session
  private readonly live: LiveJobs
  private readonly act: Act
  private readonly control: Control

  constructor(session: Session, live: LiveJobs, act: Act, control: Control) {
    this.session = session
    this.live = live
    this.act = act
    this.control = control
  }

  /** What is gone cannot be brought back, so a remove waits out its undo time first. */
  async start(op: OpOf<'bulkStart'>): Promise<null> {
    const { now } = this.session
    const waits = op.action === 'remove' && op.undoMs > 0
    const state: BulkState = waits ? 'waiting' : 'running'
    await this.session.run(
      'bulk-start',
      `INSERT INTO millrace_bulk_operations (id, action, filter, state, actor, cursor, starts_at, undo_until, created_at)
       SELECT $1, $2, $3, $4, $5, coalesce(max(seq), 0) + 1, $6, $7, $8 FROM millrace_jobs`,
      [
        ...[op.id, op.action, JSON.stringify(op.filter), state, op.actor],
        ...[waits ? now + op.undoMs : now, now + op.undoMs, now],
      ],
    )
    return this.control.audit(op.actor, `bulk.${op.action}`, op.id, told(op.filter))
  }

  async apply(op: OpOf<'bulkApply'>): Promise<BulkOutcome> {
    const { now } = this.session
    const bulk = await this.find(op.id)
    const open = bulk.state === 'running' || (bulk.state === 'waiting' && now >= bulk.startsAt)
    if (!open || bulk.cursor !== op.from) return { changed: 0, skipped: 0 }
    let changed = 0
    for (const id of op.jobs) {
      if (!(await this.applyOne(op.id, bulk.action, id))) continue
      changed += 1
      if (bulk.isNamed) this.control.audit(bulk.actor, bulk.action, id, { bulk: op.id })
    }
    const skipped = op.jobs.length - changed
    await this.session.run(
      'bulk-advance',
      `UPDATE millrace_bulk_operations SET state = 'running', cursor = $1, matched = matched + $2, changed = changed + $3,
         skipped = skipped + $4 WHERE id = $5`,
      [op.cursor ?? 0, op.jobs.length, changed, skipped, op.id],
    )
    if (op.cursor === null) await this.finish(op.id, 'done', now + bulk.undoMs)
    return { changed, skipped }
  }

  async cancel(op: OpOf<'bulkCancel'>): Promise<null> {
    const bulk = await this.find(op.id)
    if (bulk.state === 'cancelled') return null
    if (bulk.state !== 'waiting' && bulk.state !== 'running') {
      throw wrongBulk(op.id, bulk.state, 'cancelled while it runs')
    }
    await this.finish(op.id, 'cancelled', this.session.now + bulk.undoMs)
    // Not bulk.cancel, which is the act of cancelling many jobs.
    return this.control.audit(op.actor, 'bulk.stop', op.id, {})
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
    else
      await this.session.run('bulk-undo', `UPDATE millrace_bulk_operations SET state = 'undoing' WHERE id = $1`, [
        op.id,
      ])
    this.control.audit(op.actor, 'bulk.undo', op.id, {})
    if (bulk.isNamed) await this.tellUndo(op)
    return null
  }

  /** Restores what nobody has touched since; a job that was claimed meanwhile keeps its new life. */
  async revert(op: OpOf<'bulkRevert'>): Promise<OpValue<'bulkRevert'>> {
    if ((await this.find(op.id)).state !== 'undoing') return { more: false }
    const items = await this.session.rows<Item>(
      'bulk-items',
      'SELECT seq, version, before, status_after AS "statusAfter" FROM millrace_bulk_items WHERE bulk_id = $1 ORDER BY seq LIMIT $2',
      [op.id, op.limit],
    )
    const jobs = await this.lockBySeq(items.map(({ seq }) => seq))
    let undone = 0
    for (const item of items) if (await this.restore(jobs.get(item.seq), item)) undone += 1
    await this.session.run(
      'bulk-forget',
      'DELETE FROM millrace_bulk_items WHERE bulk_id = $1 AND seq = ANY($2::bigint[])',
      [op.id, items.map(({ seq }) => seq)],
    )
    await this.session.run('bulk-undone', 'UPDATE millrace_bulk_operations SET undone = undone + $1 WHERE id = $2', [
      undone,
      op.id,
    ])
    const more = items.length === op.limit
    if (!more) await this.finish(op.id, 'undone', this.session.now)
    return { more }
  }

  private async applyOne(bulkId: string, action: BulkRecord['action'], id: string): Promise<boolean> {
    const job = this.live.find(id)
    if (!job) return false
    try {
      const result = await this.act.act(action, id)
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
      // Refused before anything was written: this job is not in a state for this act, the others may be.
      if (error instanceof QueueError) return false
      throw error
    }
  }

  private async tellUndo({ id, actor }: OpOf<'bulkUndo'>): Promise<void> {
    this.live.flush()
    this.control.writeTrail()
    await this.session.run(
      'bulk-tell-undo',
      `INSERT INTO millrace_audit (at, actor, action, target, details)
       SELECT $1, $2, 'bulk.undo', j.id, json_build_object('bulk', i.bulk_id)::text
       FROM millrace_bulk_items i JOIN millrace_jobs j ON j.seq = i.seq
       WHERE i.bulk_id = $3 AND j.version = i.version AND j.status = i.status_after ORDER BY i.seq`,
      [this.session.now, actor, id],
    )
  }

  private async restore(job: LiveRow | undefined, item: Item): Promise<boolean> {
    if (!job || job.version !== item.version || job.status !== item.statusAfter) return false
    const before: State = JSON.parse(item.before)
    try {
      if (isTerminal(job.status) && !isTerminal(before.status)) await this.act.refuseTakenKey(job)
      // A running job keeps what its worker did since; only the request to stop is taken back.
      const next =
        job.status === 'processing'
          ? { ...stateOf(job), cancelRequestedAt: before.cancelRequestedAt }
          : // A record of an older version does not name this column.
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
    const text = `SELECT ${LIVE_COLUMNS} FROM millrace_jobs WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR UPDATE`
    const records: Parameters<LiveJobs['keep']>[0] = await this.session.rows('lock-seq', text, [seqs])
    return new Map(this.live.keep(records).map((job) => [job.seq, job]))
  }

  private async finish(id: string, state: BulkState, undoUntil: number): Promise<void> {
    const text = 'UPDATE millrace_bulk_operations SET state = $1, finished_at = $2, undo_until = $3 WHERE id = $4'
    await this.session.run('bulk-finish', text, [state, this.session.now, undoUntil, id])
  }

  /** Locked: two leaders that overlap for a moment must not do the same chunk. */
  private async find(id: string): Promise<BulkRecord> {
    const [bulk] = await this.session.rows<BulkRecord>(
      'bulk-find',
      `SELECT action, state, cursor, starts_at AS "startsAt", undo_until AS "undoUntil",
         undo_until - created_at AS "undoMs", actor, filter::jsonb ? 'ids' AS "isNamed"
       FROM millrace_bulk_operations WHERE id = $1 FOR UPDATE`,
      [id],
    )
    if (bulk) return bulk
    throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}; finished ones are kept for a day.`, { id })
  }
}

function wrongBulk(id: string, state: BulkState, possible: string): QueueError {
  return new QueueError('WRONG_STATE', `Bulk operation ${id} is ${state}; it can only be ${possible}.`, { id, state })
}
