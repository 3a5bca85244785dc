/** Jobs locked by one commit: cached while it decides, then all decisions are written together. */
import { notFound } from '../../../../shared/errors.ts'
import type { Attempt } from '../../../../shared/job.ts'
import { type State, stateOf, type Transition } from '../../../../shared/lifecycle.ts'
import { DELETE_ORDER } from '../../decisions/delete-order.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import { attemptMeasure } from '../../decisions/settle-outcome.ts'
import type { FailedJob } from '../../failure-notice.ts'
import { GROUP } from '../../rows/group-rows.ts'
import { LIVE, type LiveRecord, type LiveRow, liveFromRecord } from '../../rows/live-rows.ts'
import { columns, type Session } from '../connection/session.ts'
import type { Groups } from './groups/groups.ts'
import { keyOfJob, type OptionalKey } from './groups/key-rows.ts'
import type { Ledger } from './ledger.ts'

/** An attempt that ended in this commit. */
interface EndedAttempt {
  readonly seq: number
  readonly type: string
  readonly attempt: Attempt
}

/** Called within the commit. */
export interface LiveJobHooks {
  /** A job failed without another retry. */
  onFailed(failed: FailedJob): void
  /** A job of a schedule has completed. */
  onCompleted(tick: string): void
}

interface LiveJobsParts {
  readonly session: Session
  readonly ledger: Ledger
  readonly groups: Groups
}

export class LiveJobs {
  private readonly session: Session
  private readonly ledger: Ledger
  private readonly groups: Groups
  private readonly hooks: LiveJobHooks
  private readonly byId = new Map<string, LiveRow>()
  private readonly dirty = new Map<string, LiveRow>()
  private readonly results = new Map<number, string>()
  private ended: EndedAttempt[] = []
  /** The seq of each job to delete. */
  private removed: number[] = []

  constructor({ session, ledger, groups }: LiveJobsParts, hooks: LiveJobHooks) {
    this.session = session
    this.ledger = ledger
    this.groups = groups
    this.hooks = hooks
  }

  /** In order of seq, as in every commit, so that no two commits deadlock. `+ 0`: not by an index, which would read all jobs. */
  async lock(ids: Iterable<string>): Promise<void> {
    const unknown = this.unknown(ids)
    if (unknown.length === 0) return
    const text = `SELECT ${LIVE.list} FROM millrace_jobs WHERE id = ANY($1::text[]) ORDER BY seq + 0 FOR UPDATE`
    this.keep(await this.session.rows<LiveRecord>('lock', text, [unknown]))
  }

  /** Running jobs of keys that are not locked yet, in order of seq. The count ends the search before all jobs of the key are read. */
  async lockRunning(keys: readonly JobGroup[]): Promise<void> {
    if (keys.length === 0) return
    const text = `SELECT ${LIVE.list} FROM millrace_jobs WHERE status = 'processing' AND seq = ANY(ARRAY(
        SELECT j.seq FROM unnest($1::text[], $2::text[]) AS k (name, key)
        JOIN millrace_job_groups AS g ON g.name = k.name AND g.key = k.key, LATERAL (
          SELECT seq FROM millrace_jobs
          WHERE group_name = g.name AND group_key = g.key AND finished_at IS NULL AND status = 'processing'
          ORDER BY seq LIMIT g.processing) AS j)) ORDER BY seq + 0 FOR UPDATE`
    this.keep(
      await this.session.rows<LiveRecord>(
        'lock-running',
        text,
        columns(keys, ({ name, key }) => [name, key]),
      ),
    )
  }

  /**
   * As `lock`, with the rows of their keys, in the order of all commits. Not those of commits with jobs of schedules: the rows of the
   * schedules come first. A row that another transaction has just added is left out.
   */
  async lockWithKeys(ids: Iterable<string>): Promise<void> {
    const unknown = this.unknown(ids)
    if (unknown.length === 0) return
    const text = `WITH locked AS MATERIALIZED (
        SELECT ${LIVE.names} FROM millrace_jobs WHERE id = ANY($1::text[]) ORDER BY seq + 0 FOR UPDATE
      ), keys AS MATERIALIZED (
        SELECT g.* FROM (SELECT group_name, group_key FROM locked
          WHERE group_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM locked WHERE tick IS NOT NULL)
          GROUP BY group_name, group_key ORDER BY group_name COLLATE "C", group_key COLLATE "C") AS k,
          LATERAL (${keyOfJob('k')} FOR UPDATE) AS g
      )
      SELECT ${LIVE.of('j')}, ${GROUP.of('g')} FROM locked AS j
      LEFT JOIN keys AS g ON g.name = j.group_name AND g.key = j.group_key`
    const records = await this.session.rows<LiveRecord & OptionalKey>('lock-with-keys', text, [unknown])
    this.groups.adopt(records)
    this.keep(records)
  }

  private unknown(ids: Iterable<string>): readonly string[] {
    return [...new Set(ids)].filter((id) => !this.byId.has(id))
  }

  /** The locked jobs. */
  all(): IterableIterator<LiveRow> {
    return this.byId.values()
  }

  /** Adds jobs that a statement has locked. */
  keep(records: readonly LiveRecord[]): LiveRow[] {
    return records.map((record) => {
      const row = liveFromRecord(record)
      this.byId.set(row.id, row)
      return row
    })
  }

  find(id: string): LiveRow | undefined {
    return this.byId.get(id)
  }

  get(id: string): LiveRow {
    const job = this.find(id)
    if (!job) throw notFound(id)
    return job
  }

  /** The key of the job must be locked. Returns what was applied: a job that would be pending may have to wait for its key. */
  apply(job: LiveRow, transition: Transition): Transition {
    const applied = this.groups.admitted(job, transition)
    const { next, attempt, ownMs } = applied
    this.write(job, next)
    this.groups.move(job, job.status, next.status)
    const change = { id: job.id, type: job.type, from: job.status, to: next.status }
    if (!attempt) {
      this.ledger.record(change)
      return applied
    }
    this.ended.push({ seq: job.seq, type: job.type, attempt })
    this.ledger.record(change, attemptMeasure(attempt, ownMs, this.session.now))
    if (next.status === 'failed') this.hooks.onFailed({ job, next, attempt })
    return applied
  }

  /** Completing needs no decision. The worker stays on the job's row. */
  complete(job: LiveRow, result: string | null, ownMs: number | undefined): void {
    const { now } = this.session
    const next: State = {
      ...stateOf(job),
      ...{ status: 'completed', leaseUntil: null, leaseMs: null, error: null, cancelRequestedAt: null },
      finishedAt: now,
    }
    this.write(job, next)
    this.groups.move(job, job.status, next.status)
    if (result !== null) this.results.set(job.seq, result)
    if (job.tick !== null) this.hooks.onCompleted(job.tick)
    const change = { id: job.id, type: job.type, from: job.status, to: next.status }
    this.ledger.record(change, { runMs: now - (job.startedAt ?? now), ownMs, worker: job.lockedBy })
  }

  /** Changes the lease, not the status. */
  extend(job: LiveRow, leaseUntil: number, leaseMs: number): void {
    this.write(job, { ...stateOf(job), leaseUntil, leaseMs })
  }

  /** A call of the worker proves that the response to its claim has arrived. */
  confirm(job: LiveRow): void {
    if (job.unconfirmedClaims > 0) this.write(job, { ...stateOf(job), unconfirmedClaims: 0 })
  }

  /** The row and its key must be locked. For the rest of the commit the job does not exist. */
  remove(job: Pick<LiveRow, 'seq' | 'id' | 'type' | 'status' | 'groupName' | 'groupKey'>): void {
    const { seq, id, type, status } = job
    this.groups.move(job, status, null)
    this.byId.delete(id)
    this.dirty.delete(id)
    this.removed.push(seq)
    this.ledger.record({ id, type, from: status, to: null })
  }

  /** Before any statement that must see the decisions of this commit. */
  flush(): void {
    const jobs = [...this.dirty.values()].sort((a, b) => a.seq - b.seq)
    this.dirty.clear()
    if (jobs.length > 0) this.writeStates(jobs)
    if (this.ended.length > 0) this.writeAttempts()
    if (this.results.size > 0) {
      const results = [...this.results]
      this.results.clear()
      const text = 'INSERT INTO millrace_job_results (seq, result) SELECT * FROM unnest($1::bigint[], $2::text[])'
      this.session.send(
        'results',
        text,
        columns(results, (result) => result),
      )
    }
    if (this.removed.length > 0) this.deleteRemoved()
  }

  /** One statement per table for all jobs. Last, so that rows which the same commit wrote are deleted too. */
  private deleteRemoved(): void {
    const seqs = this.removed
    this.removed = []
    for (const table of DELETE_ORDER) {
      const deleted = table === 'millrace_jobs' ? seqs.length : null
      this.session.send(`delete-${table}`, `DELETE FROM ${table} WHERE seq = ANY($1::bigint[])`, [seqs], deleted)
    }
  }

  private write(job: LiveRow, next: State): void {
    const row = { ...job, ...next }
    this.byId.set(job.id, row)
    this.dirty.set(job.id, row)
  }

  /** The rows are locked since they were read; the version is compared as a safeguard. By ANY: see takeJobs. */
  private writeStates(jobs: readonly LiveRow[]): void {
    this.session.send(
      'states',
      `UPDATE millrace_jobs SET status = n.status, attempts = n.attempts, crashes = n.crashes, run_at = n.run_at,
         lease_until = n.lease_until, lease_ms = n.lease_ms, locked_by = n.locked_by, error = n.error,
         cancel_requested_at = n.cancel_requested_at, finished_at = n.finished_at,
         unconfirmed_claims = n.unconfirmed_claims, updated_at = $14,
         claim_request_id = CASE WHEN n.status IN ('processing', 'completed') THEN claim_request_id END
       FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
         $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::int[])
         AS n (seq, version, status, attempts, crashes, run_at, lease_until, lease_ms, locked_by, error,
           cancel_requested_at, finished_at, unconfirmed_claims)
       WHERE millrace_jobs.seq = ANY($1::bigint[]) AND millrace_jobs.seq = n.seq AND millrace_jobs.version = n.version`,
      [
        ...columns(jobs, (job) => [
          ...[job.seq, job.version, job.status, job.attempts, job.crashes, job.runAt, job.leaseUntil, job.leaseMs],
          ...[job.lockedBy, job.error, job.cancelRequestedAt, job.finishedAt, job.unconfirmedClaims],
        ]),
        this.session.now,
      ],
      jobs.length,
    )
  }

  private writeAttempts(): void {
    const ended = this.ended
    this.ended = []
    this.session.send(
      'attempts',
      `INSERT INTO millrace_job_attempts (seq, type, version, worker, started_at, finished_at, outcome, status_after, next_run_at,
         error, error_key, exit_code)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
         $8::text[], $9::bigint[], $10::text[], $11::text[], $12::bigint[])`,
      columns(ended, ({ seq, type, attempt: a }) => [
        ...[seq, type, a.version, a.worker, a.startedAt, a.finishedAt, a.outcome, a.statusAfter, a.nextRunAt],
        ...[a.error, a.errorKey, a.exitCode],
      ]),
    )
  }
}
