/** Deletes finished jobs and old history past their retention, in small chunks. */
import { DAY, MINUTE } from '../../../../shared/limits.ts'
import type { Status } from '../../../../shared/status.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { ALL_TIME_MINUTE } from '../../records.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { CommitContext } from '../commit/context.ts'
import type { Groups } from '../commit/groups/groups.ts'
import type { LiveJobs } from '../commit/live-jobs.ts'
import type { Session } from '../connection/session.ts'

const JOB = columnsOf('jobs', ['seq', 'id', 'type', 'status', 'groupName', 'groupKey'])
type RemovedJob = RowOf<typeof JOB>

export class Removal {
  private readonly session: Session
  private readonly live: LiveJobs
  private readonly groups: Groups
  private readonly catalog: Catalog
  private readonly trust: ClockTrust

  constructor({ session, live, groups, catalog, trust }: CommitContext) {
    this.trust = trust
    this.session = session
    this.live = live
    this.groups = groups
    this.catalog = catalog
  }

  async cleanup(op: OpOf<'cleanup'>): Promise<OpValue<'cleanup'>> {
    if (op.upkeep && !this.trust.isSure) return { removed: 0, more: false }
    const types = op.type === null ? [...this.catalog.types()].map(({ name }) => name) : [op.type]
    let removed = 0
    for (const type of types) {
      const olderThanMs = op.olderThanMs ?? this.catalog.effective(type).retentionMs
      for (const status of op.status) {
        const finished = await this.finished(type, status, this.session.now - olderThanMs, op.limit - removed)
        // In strict order a failed job may stop its key.
        await this.groups.lockExisting(finished.filter((job) => job.status === 'failed'))
        for (const job of finished) this.live.remove(job)
        removed += finished.length
        if (removed === op.limit) return { removed, more: !(op.upkeep && this.trust.isCareful) }
      }
    }
    return { removed, more: false }
  }

  private finished(type: string, status: Status, before: number, limit: number): Promise<RemovedJob[]> {
    this.live.flush()
    return this.session.rows<RemovedJob>(
      'finished',
      `SELECT ${JOB.list} FROM millrace_jobs
       WHERE type = $1 AND status = $2 AND finished_at IS NOT NULL AND finished_at <= $3 ORDER BY finished_at LIMIT $4
       FOR UPDATE SKIP LOCKED`,
      [type, status, before, limit],
    )
  }

  /** Moves the sums of old minutes into the row of all time. */
  private async trimMinutes(before: number, limit: number): Promise<number> {
    const [row] = await this.session.rows<{ readonly n: number }>(
      'trim-minutes',
      `WITH gone AS (
         DELETE FROM millrace_job_minutes WHERE ctid IN (SELECT ctid FROM millrace_job_minutes
           WHERE minute > ${ALL_TIME_MINUTE} AND minute < $1 LIMIT $2)
         RETURNING type, enqueued, completed, failed, dead, run_ms
       ), kept AS (
         INSERT INTO millrace_job_minutes (minute, type, enqueued, completed, failed, dead, run_ms)
         SELECT ${ALL_TIME_MINUTE}, type, sum(enqueued), sum(completed), sum(failed), sum(dead), sum(run_ms) FROM gone GROUP BY type
       )
       SELECT count(*) AS n FROM gone`,
      [before, limit],
    )
    return row?.n ?? 0
  }

  /** Rows of keys that hold nothing: the next job of such a key adds a new one. */
  private async trimGroups(limit: number): Promise<number> {
    this.groups.flush()
    return this.session.run(
      'trim-groups',
      `DELETE FROM millrace_job_groups WHERE ctid IN (SELECT ctid FROM millrace_job_groups
         WHERE pending = 0 AND processing = 0 AND blocked = 0 AND override IS NULL AND turn_seq IS NULL AND stopped_at IS NULL
           AND (busy_until IS NULL OR busy_until <= $1) AND (tat IS NULL OR tat <= $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [this.session.now, limit],
    )
  }

  async trim(op: OpOf<'trim'>): Promise<OpValue<'trim'>> {
    if (!this.trust.isSure) return { more: false }
    const { now } = this.session
    const deleted = [
      await this.trimMinutes(Math.floor((now - op.minutesOlderThanMs) / MINUTE), op.limit),
      await this.session.run(
        'trim-depths',
        'DELETE FROM millrace_job_depths WHERE ctid IN (SELECT ctid FROM millrace_job_depths WHERE minute < $1 LIMIT $2)',
        [Math.floor((now - op.depthsOlderThanMs) / MINUTE), op.limit],
      ),
      await this.session.run(
        'trim-workers',
        'DELETE FROM millrace_workers WHERE name IN (SELECT name FROM millrace_workers WHERE seen_at < $1 LIMIT $2)',
        [now - op.workersOlderThanMs, op.limit],
      ),
      await this.session.run(
        'trim-audit',
        // Oldest first; stops at the first entry that is young enough to keep.
        'DELETE FROM millrace_audit WHERE id IN (SELECT id FROM (SELECT id, at FROM millrace_audit ORDER BY id LIMIT $1) AS old WHERE at < $2)',
        [op.limit, now - op.auditOlderThanMs],
      ),
      await this.session.run(
        'trim-items',
        `DELETE FROM millrace_bulk_items WHERE ctid IN (SELECT i.ctid FROM millrace_bulk_operations b JOIN millrace_bulk_items i ON i.bulk_id = b.id
           WHERE b.finished_at IS NOT NULL AND b.state <> 'undoing' AND b.undo_until < $1 LIMIT $2)`,
        [now, op.limit],
      ),
      await this.session.run(
        'trim-bulks',
        `DELETE FROM millrace_bulk_operations WHERE id IN (SELECT id FROM millrace_bulk_operations b WHERE finished_at < $1
           AND NOT EXISTS (SELECT 1 FROM millrace_bulk_items i WHERE i.bulk_id = b.id) LIMIT $2)`,
        [now - DAY, op.limit],
      ),
      await this.trimGroups(op.limit),
    ]
    return { more: deleted.some((count) => count === op.limit) && !this.trust.isCareful }
  }
}
