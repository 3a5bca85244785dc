/** Acts on everything that matches a filter, a chunk per commit, with a record of what was for undo. */
import { QueueError } from '../../../../shared/errors.ts'
import { type State, stateOf } from '../../../../shared/lifecycle.ts'
import { isTerminal, type Status } from '../../../../shared/status.ts'
import { told } from '../../list/audit-filter.ts'
import type { BulkOutcome, OpOf, OpValue } from '../../ops.ts'
import type { BulkState } from '../../records.ts'
import type { Client } from '../connection/open.ts'
import type { Control } from './control.ts'
import type { Act } from './job-actions.ts'
import type { LiveJobs } from './live-jobs.ts'
import { LIVE_COLUMNS, type LiveTuple, toLive } from './live-jobs.ts'

interface BulkRecord {
  readonly action: OpOf<'bulkStart'>['action']
  readonly state: BulkState
  readonly cursor: number
  readonly startsAt: number
  readonly undoUntil: number
  readonly undoMs: number
  readonly actor: string
  /** Its jobs were named one by one: the trail of each tells of it. */
  readonly isNamed: 0 | 1
}

export class Bulk {
  private readonly live: LiveJobs
  private readonly act: Act
  private readonly control: Control
  private readonly statements

  constructor(client: Client, live: LiveJobs, act: Act, control: Control) {
    this.live = live
    this.act = act
    this.control = control
    this.statements = {
      start: client.prepare(
        `INSERT INTO millrace_bulk_operations (id, action, filter, state, actor, cursor, starts_at, undo_until, created_at)
         SELECT ?, ?, ?, ?, ?, coalesce(max(seq), 0) + 1, ?, ?, ? FROM millrace_jobs`,
      ),
      find: client.prepare<[string], BulkRecord>(
        `SELECT action, state, cursor, starts_at AS startsAt, undo_until AS undoUntil, undo_until - created_at AS undoMs,
           actor, json_type(filter, '$.ids') IS NOT NULL AS isNamed FROM millrace_bulk_operations WHERE id = ?`,
      ),
      advance: client.prepare(
        `UPDATE millrace_bulk_operations SET state = 'running', cursor = ?, matched = matched + ?, changed = changed + ?,
           skipped = skipped + ? WHERE id = ?`,
      ),
      finish: client.prepare(
        'UPDATE millrace_bulk_operations SET state = ?, finished_at = ?, undo_until = ? WHERE id = ?',
      ),
      setState: client.prepare('UPDATE millrace_bulk_operations SET state = ? WHERE id = ?'),
      countUndone: client.prepare('UPDATE millrace_bulk_operations SET undone = undone + ? WHERE id = ?'),
      remember: client.prepare(
        'INSERT OR IGNORE INTO millrace_bulk_items (bulk_id, seq, version, before, status_after) VALUES (?, ?, ?, ?, ?)',
      ),
      items: client.prepare<[string, number], { seq: number; version: number; before: string; statusAfter: Status }>(
        'SELECT seq, version, before, status_after AS statusAfter FROM millrace_bulk_items WHERE bulk_id = ? LIMIT ?',
      ),
      tellUndo: client.prepare(
        `INSERT INTO millrace_audit (at, actor, action, target, details)
         SELECT ?, ?, 'bulk.undo', j.id, json_object('bulk', i.bulk_id) FROM millrace_bulk_items i JOIN millrace_jobs j ON j.seq = i.seq
         WHERE i.bulk_id = ? AND j.version = i.version AND j.status = i.status_after ORDER BY i.seq`,
      ),
      forget: client.prepare('DELETE FROM millrace_bulk_items WHERE bulk_id = ? AND seq = ?'),
      job: client.prepare<[number], LiveTuple>(`SELECT ${LIVE_COLUMNS} FROM millrace_jobs WHERE seq = ?`).raw(),
    }
  }

  /** What is gone cannot be brought back, so a remove waits out its undo time first. */
  start(op: OpOf<'bulkStart'>, now: number): null {
    const waits = op.action === 'remove' && op.undoMs > 0
    const startsAt = waits ? now + op.undoMs : now
    const state: BulkState = waits ? 'waiting' : 'running'
    const filter = JSON.stringify(op.filter)
    this.statements.start.run(op.id, op.action, filter, state, op.actor, startsAt, now + op.undoMs, now)
    this.control.audit(op.actor, `bulk.${op.action}`, op.id, told(op.filter), now)
    return null
  }

  apply(op: OpOf<'bulkApply'>, now: number): BulkOutcome {
    const bulk = this.find(op.id)
    const open = bulk.state === 'running' || (bulk.state === 'waiting' && now >= bulk.startsAt)
    if (!open || bulk.cursor !== op.from) return { changed: 0, skipped: 0 }
    let changed = 0
    for (const id of op.jobs) {
      if (!this.applyOne(op.id, bulk.action, id, now)) continue
      changed += 1
      if (bulk.isNamed) this.control.audit(bulk.actor, bulk.action, id, { bulk: op.id }, now)
    }
    const skipped = op.jobs.length - changed
    this.statements.advance.run(op.cursor ?? 0, op.jobs.length, changed, skipped, op.id)
    if (op.cursor === null) this.statements.finish.run('done', now, now + bulk.undoMs, op.id)
    return { changed, skipped }
  }

  cancel(op: OpOf<'bulkCancel'>, now: number): null {
    const bulk = this.find(op.id)
    if (bulk.state === 'cancelled') return null
    if (bulk.state !== 'waiting' && bulk.state !== 'running')
      throw wrongBulk(op.id, bulk.state, 'cancelled while it runs')
    this.statements.finish.run('cancelled', now, now + bulk.undoMs, op.id)
    // Not bulk.cancel, which is the act of cancelling many jobs.
    this.control.audit(op.actor, 'bulk.stop', op.id, {}, now)
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
    if (bulk.state === 'waiting') this.statements.finish.run('undone', now, now, op.id)
    else this.statements.setState.run('undoing', op.id)
    this.control.audit(op.actor, 'bulk.undo', op.id, {}, now)
    if (bulk.isNamed) this.statements.tellUndo.run(now, op.actor, op.id)
    return null
  }

  /** Restores what nobody has touched since; a job that was claimed meanwhile keeps its new life. */
  revert(op: OpOf<'bulkRevert'>, now: number): OpValue<'bulkRevert'> {
    if (this.find(op.id).state !== 'undoing') return { more: false }
    const items = this.statements.items.all(op.id, op.limit)
    let undone = 0
    for (const item of items) {
      if (this.restore(item.seq, item.version, item.statusAfter, JSON.parse(item.before), now)) undone += 1
      this.statements.forget.run(op.id, item.seq)
    }
    this.statements.countUndone.run(undone, op.id)
    const more = items.length === op.limit
    if (!more) this.statements.finish.run('undone', now, now, op.id)
    return { more }
  }

  private applyOne(bulkId: string, action: BulkRecord['action'], id: string, now: number): boolean {
    const job = this.live.find(id)
    if (!job) return false
    try {
      const result = this.act.act(action, id, now)
      if (!result.changed) return false
      if (action === 'remove') return true
      const before = JSON.stringify(stateOf(job))
      this.statements.remember.run(bulkId, job.seq, job.version, before, result.status)
      return true
    } catch (error) {
      // Refused before anything was written: this job is not in a state for this act, the others may be.
      if (error instanceof QueueError) return false
      throw error
    }
  }

  private restore(seq: number, version: number, statusAfter: Status, before: State, now: number): boolean {
    const row = this.statements.job.get(seq)
    if (!row) return false
    const job = toLive(row)
    if (job.version !== version || job.status !== statusAfter) return false
    try {
      if (isTerminal(job.status) && !isTerminal(before.status)) this.act.refuseTakenKey(job)
      // A running job keeps what its worker did since; only the request to stop is taken back.
      const next =
        job.status === 'processing'
          ? { ...stateOf(job), cancelRequestedAt: before.cancelRequestedAt }
          : // A record of an older version does not name this column.
            { ...before, unconfirmedClaims: 0 }
      this.live.apply(job, { next, attempt: null }, now)
      return true
    } catch (error) {
      if (error instanceof QueueError) return false
      throw error
    }
  }

  private find(id: string): BulkRecord {
    const bulk = this.statements.find.get(id)
    if (!bulk)
      throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}; finished ones are kept for a day.`, { id })
    return bulk
  }
}

function wrongBulk(id: string, state: BulkState, possible: string): QueueError {
  return new QueueError('WRONG_STATE', `Bulk operation ${id} is ${state}; it can only be ${possible}.`, { id, state })
}
