/** Loads a job for a decision and writes the decision back: the only UPDATE of a job's state outside claims. */
import { notFound } from '../../../../shared/errors.ts'
import type { Transition } from '../../../../shared/lifecycle.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import { attemptMeasure } from '../../decisions/settle-outcome.ts'
import type { FailedJob } from '../../failure-notice.ts'
import { LIVE, type LiveRow, type LiveTuple, liveFromTuple } from '../../rows/live-rows.ts'
import type { Client } from '../connection/open.ts'
import { type Groups, groupOfRow } from './groups/groups.ts'
import type { Ledger } from './ledger.ts'

export class LiveJobs {
  private readonly ledger: Ledger
  private readonly groups: Groups
  private readonly onFailed: (failed: FailedJob, now: number) => void
  private readonly byId
  private readonly writeState
  private readonly writeAttempt

  /** `onFailed` is called within the commit for each job that failed without another retry. */
  constructor(client: Client, ledger: Ledger, groups: Groups, onFailed: (failed: FailedJob, now: number) => void) {
    this.ledger = ledger
    this.groups = groups
    this.onFailed = onFailed
    this.byId = client.prepare<[id: string], LiveTuple>(`SELECT ${LIVE.names} FROM millrace_jobs WHERE id = ?`).raw()
    this.writeState = client.prepare(
      `UPDATE millrace_jobs SET status = ?, attempts = ?, crashes = ?, run_at = ?, lease_until = ?, lease_ms = ?, locked_by = ?,
         error = ?, cancel_requested_at = ?, finished_at = ?, unconfirmed_claims = ?, updated_at = ?,
         claim_request_id = CASE ? WHEN 'processing' THEN claim_request_id END
       WHERE seq = ? AND status = ? AND version = ?`,
    )
    this.writeAttempt = client.prepare(
      `INSERT INTO millrace_job_attempts (seq, version, type, worker, started_at, finished_at, outcome, status_after, next_run_at,
         error, error_key, exit_code) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
  }

  find(id: string): LiveRow | undefined {
    const row = this.byId.get(id)
    return row && liveFromTuple(row)
  }

  get(id: string): LiveRow {
    const job = this.find(id)
    if (!job) throw notFound(id)
    return job
  }

  /**
   * The row must still have the status and version that were read. Returns the transition that was made: where the key of the job has
   * no room, a job that would be pending is blocked.
   */
  apply(job: LiveRow, decided: Transition, now: number): Transition {
    const group = groupOfRow(job)
    const made = group === null ? decided : this.admitted(group, job, decided, now)
    this.write(job, made, now)
    const { status: to } = made.next
    if (group !== null && to !== job.status)
      this.groups.moved(group, { seq: job.seq, from: job.status, to }, now, job.runAt)
    return made
  }

  private admitted(group: JobGroup, job: LiveRow, decided: Transition, now: number): Transition {
    const { next, attempt } = decided
    // An undo may restore a blocked job to a key that has room by now.
    if ((next.status !== 'pending' && next.status !== 'blocked') || next.status === job.status) return decided
    const status = this.groups.returning(group, { seq: job.seq, from: job.status }, now)
    if (status === next.status) return decided
    return { ...decided, next: { ...next, status }, attempt: attempt && { ...attempt, statusAfter: status } }
  }

  private write(job: LiveRow, { next, attempt, ownMs }: Transition, now: number): void {
    const { changes } = this.writeState.run(
      next.status,
      next.attempts,
      next.crashes,
      next.runAt,
      next.leaseUntil,
      next.leaseMs,
      next.lockedBy,
      next.error,
      next.cancelRequestedAt,
      next.finishedAt,
      next.unconfirmedClaims,
      now,
      next.status,
      job.seq,
      job.status,
      job.version,
    )
    if (changes !== 1) throw new Error(`Job ${job.id} changed while its transition was being decided.`)
    const change = { id: job.id, type: job.type, from: job.status, to: next.status }
    if (!attempt) {
      this.ledger.record(change)
      return
    }
    this.writeAttempt.run(
      job.seq,
      attempt.version,
      job.type,
      attempt.worker,
      attempt.startedAt,
      attempt.finishedAt,
      attempt.outcome,
      attempt.statusAfter,
      attempt.nextRunAt,
      attempt.error,
      attempt.errorKey,
      attempt.exitCode,
    )
    this.ledger.record(change, attemptMeasure(attempt, ownMs, now))
    if (next.status === 'failed') this.onFailed({ job, next, attempt }, now)
  }
}
