/** Deletes single jobs with their rows, and finished jobs and old history past their retention. */
import { DAY, MINUTE } from '../../../../shared/limits.ts'
import type { TerminalStatus } from '../../../../shared/status.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { DELETE_ORDER } from '../../decisions/delete-order.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { ALL_TIME_MINUTE } from '../../records.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import type { Catalog } from '../claims/catalog.ts'
import { type Groups, groupOfRow } from '../commit/groups/groups.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Client } from '../connection/open.ts'

const JOB = columnsOf('jobs', ['seq', 'id', 'type', 'status', 'groupName', 'groupKey', 'runAt'])
type RemovedJob = RowOf<typeof JOB>

export class Removal {
  private readonly ledger: Ledger
  private readonly groups: Groups
  private readonly catalog: Catalog
  private readonly trust: ClockTrust
  private readonly deletions
  private readonly finished
  private readonly trims

  constructor(
    client: Client,
    { ledger, groups, catalog, trust }: { ledger: Ledger; groups: Groups; catalog: Catalog; trust: ClockTrust },
  ) {
    this.trust = trust
    this.ledger = ledger
    this.groups = groups
    this.catalog = catalog
    this.deletions = DELETE_ORDER.map((table) => client.prepare<[number]>(`DELETE FROM ${table} WHERE seq = ?`))
    this.finished = client.prepare<[string, TerminalStatus, number, number], RemovedJob>(
      `SELECT ${JOB.list} FROM millrace_jobs
       WHERE type = ? AND status = ? AND finished_at IS NOT NULL AND finished_at <= ? ORDER BY finished_at LIMIT ?`,
    )
    this.trims = {
      keepMinutes: client.prepare<[number, number]>(
        `INSERT INTO millrace_job_minutes (minute, type, enqueued, completed, failed, dead, run_ms)
         SELECT ${ALL_TIME_MINUTE}, type, sum(enqueued), sum(completed), sum(failed), sum(dead), sum(run_ms)
         FROM (SELECT * FROM millrace_job_minutes WHERE minute > ${ALL_TIME_MINUTE} AND minute < ? ORDER BY minute, type LIMIT ?)
         WHERE true GROUP BY type
         ON CONFLICT DO UPDATE SET enqueued = enqueued + excluded.enqueued, completed = completed + excluded.completed,
           failed = failed + excluded.failed, dead = dead + excluded.dead, run_ms = run_ms + excluded.run_ms`,
      ),
      minutes: client.prepare<[number, number]>(
        `DELETE FROM millrace_job_minutes WHERE rowid IN (SELECT rowid FROM millrace_job_minutes
           WHERE minute > ${ALL_TIME_MINUTE} AND minute < ? ORDER BY minute, type LIMIT ?)`,
      ),
      depths: client.prepare<[number, number]>(
        'DELETE FROM millrace_job_depths WHERE rowid IN (SELECT rowid FROM millrace_job_depths WHERE minute < ? LIMIT ?)',
      ),
      workers: client.prepare<[number, number]>(
        'DELETE FROM millrace_workers WHERE name IN (SELECT name FROM millrace_workers WHERE seen_at < ? LIMIT ?)',
      ),
      audit: client.prepare<[number, number]>(
        // Oldest first; stops at the first entry that is young enough to keep.
        'DELETE FROM millrace_audit WHERE id IN (SELECT id FROM (SELECT id, at FROM millrace_audit ORDER BY id LIMIT ?) WHERE at < ?)',
      ),
      items: client.prepare<[number, number]>(
        `DELETE FROM millrace_bulk_items WHERE rowid IN (SELECT i.rowid FROM millrace_bulk_operations b CROSS JOIN millrace_bulk_items i ON i.bulk_id = b.id
           WHERE b.finished_at IS NOT NULL AND b.state <> 'undoing' AND b.undo_until < ? LIMIT ?)`,
      ),
      bulks: client.prepare<[number, number]>(
        `DELETE FROM millrace_bulk_operations WHERE id IN (SELECT id FROM millrace_bulk_operations b WHERE finished_at < ?
           AND NOT EXISTS (SELECT 1 FROM millrace_bulk_items i WHERE i.bulk_id = b.id) LIMIT ?)`,
      ),
      // Keys without jobs, once the rate limit owes them no wait.
      keys: client.prepare<[number, number, number]>(
        `DELETE FROM millrace_job_groups WHERE rowid IN (SELECT rowid FROM millrace_job_groups
           WHERE pending = 0 AND processing = 0 AND blocked = 0 AND override IS NULL AND turn_seq IS NULL AND stopped_at IS NULL
             AND coalesce(tat, 0) <= ? AND coalesce(busy_until, 0) <= ? LIMIT ?)`,
      ),
    }
  }

  remove(job: RemovedJob, now: number): void {
    for (const deletion of this.deletions) deletion.run(job.seq)
    this.ledger.record({ id: job.id, type: job.type, from: job.status, to: null })
    const group = groupOfRow(job)
    if (group) this.groups.moved(group, { seq: job.seq, from: job.status, to: null }, now, job.runAt)
  }

  cleanup(op: OpOf<'cleanup'>, now: number): OpValue<'cleanup'> {
    if (op.upkeep && !this.trust.isSure) return { removed: 0, more: false }
    const types = op.type === null ? [...this.ledger.types()] : [op.type]
    let removed = 0
    for (const type of types) {
      const olderThanMs = op.olderThanMs ?? this.catalog.effective(type).retentionMs
      for (const status of op.status) {
        const finished = this.finished.all(type, status, now - olderThanMs, op.limit - removed)
        for (const job of finished) this.remove(job, now)
        removed += finished.length
        if (removed === op.limit) return { removed, more: !(op.upkeep && this.trust.isCareful) }
      }
    }
    return { removed, more: false }
  }

  trim(op: OpOf<'trim'>, now: number): OpValue<'trim'> {
    if (!this.trust.isSure) return { more: false }
    const minute = Math.floor((now - op.minutesOlderThanMs) / MINUTE)
    const { keepMinutes, minutes, depths, workers, audit, items, bulks, keys } = this.trims
    keepMinutes.run(minute, op.limit)
    const deleted = [
      minutes.run(minute, op.limit),
      depths.run(Math.floor((now - op.depthsOlderThanMs) / MINUTE), op.limit),
      workers.run(now - op.workersOlderThanMs, op.limit),
      audit.run(op.limit, now - op.auditOlderThanMs),
      items.run(now, op.limit),
      bulks.run(now - DAY, op.limit),
      keys.run(now, now, op.limit),
    ]
    return { more: deleted.some(({ changes }) => changes === op.limit) && !this.trust.isCareful }
  }
}
