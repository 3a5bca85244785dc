/** Loads a job for a decision and writes the decision back: the only UPDATE of a job's state outside claims. */
import type { Backoff } from '../../../../shared/backoff.ts'
import { notFound } from '../../../../shared/errors.ts'
import type { LiveJob, Transition } from '../../../../shared/lifecycle.ts'
import type { Status } from '../../../../shared/status.ts'
import type { Failed } from '../../failure-notice.ts'
import type { Client } from '../connection/open.ts'
import type { Ledger } from './ledger.ts'

export interface LiveRow extends LiveJob {
  readonly seq: number
  readonly type: string
  readonly dedupeKey: string | null
}

/** Read as arrays: half the cost of objects with twenty keys. */
export const LIVE_COLUMNS = `seq, id, type, status, attempts, max_attempts, crashes, version, run_at, lease_until, lease_ms,
  locked_by, error, timeout_ms, backoff, cancel_requested_at, started_at, finished_at, dedupe_key, expires_at, face,
  unconfirmed_claims`

export type LiveTuple = [
  seq: number,
  id: string,
  type: string,
  status: Status,
  attempts: number,
  maxAttempts: number | null,
  crashes: number,
  version: number,
  runAt: number,
  leaseUntil: number | null,
  leaseMs: number | null,
  lockedBy: string | null,
  error: string | null,
  timeoutMs: number | null,
  backoff: string | null,
  cancelRequestedAt: number | null,
  startedAt: number | null,
  finishedAt: number | null,
  dedupeKey: string | null,
  expiresAt: number | null,
  face: string,
  unconfirmedClaims: number,
]

export function toLive(row: LiveTuple): LiveRow {
  const backoff: Backoff | null = row[14] === null ? null : JSON.parse(row[14])
  return {
    seq: row[0],
    id: row[1],
    type: row[2],
    status: row[3],
    attempts: row[4],
    maxAttempts: row[5],
    crashes: row[6],
    version: row[7],
    runAt: row[8],
    leaseUntil: row[9],
    leaseMs: row[10],
    lockedBy: row[11],
    error: row[12],
    timeoutMs: row[13],
    backoff,
    cancelRequestedAt: row[15],
    startedAt: row[16],
    finishedAt: row[17],
    dedupeKey: row[18],
    expiresAt: row[19],
    face: row[20],
    unconfirmedClaims: row[21],
  }
}

export class LiveJobs {
  private readonly ledger: Ledger
  private readonly onFailed: (failed: Failed, now: number) => void
  private readonly byId
  private readonly writeState
  private readonly writeAttempt

  /** `onFailed` hears of a job that has failed for good, in the commit that says so. */
  constructor(client: Client, ledger: Ledger, onFailed: (failed: Failed, now: number) => void) {
    this.ledger = ledger
    this.onFailed = onFailed
    this.byId = client.prepare<[string], LiveTuple>(`SELECT ${LIVE_COLUMNS} FROM millrace_jobs WHERE id = ?`).raw()
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
    return row && toLive(row)
  }

  get(id: string): LiveRow {
    const job = this.find(id)
    if (!job) throw notFound(id)
    return job
  }

  /** Guarded by what was read: the row must still be in that state, under that version. */
  apply(job: LiveRow, { next, attempt, ownMs }: Transition, now: number): void {
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
    const ran = attempt.outcome !== 'released'
    const attemptFailed = attempt.outcome === 'failed' || attempt.outcome === 'crashed'
    const { worker, startedAt } = attempt
    this.ledger.record(change, ran ? { runMs: now - startedAt, ownMs, attemptFailed, worker } : undefined)
    if (next.status === 'failed') this.onFailed({ job, next, attempt }, now)
  }
}
