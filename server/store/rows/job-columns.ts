/** The jobs row as statements of both dialects select it, and the job that callers see of it. */
import type { Backoff } from '../../../shared/backoff.ts'
import type { JobSummary } from '../../../shared/job.ts'

const COLUMNS = [
  'seq',
  'id',
  'type',
  'status',
  'priority',
  'attempts',
  'max_attempts as "maxAttempts"',
  'crashes',
  'version',
  'run_at as "runAt"',
  'lease_until as "leaseUntil"',
  'lease_ms as "leaseMs"',
  'locked_by as "lockedBy"',
  'error',
  'progress',
  'dedupe_key as "dedupeKey"',
  'dedupe_until as "dedupeUntil"',
  'timeout_ms as "timeoutMs"',
  'backoff',
  'face',
  'cancel_requested_at as "cancelRequestedAt"',
  'claim_request_id as "claimRequestId"',
  'traceparent',
  'concurrency_key as "concurrencyKey"',
  'expires_at as "expiresAt"',
  'created_at as "createdAt"',
  'updated_at as "updatedAt"',
  'started_at as "startedAt"',
  'finished_at as "finishedAt"',
] as const

/** `select ${JOB_COLUMNS} from jobs`; also fits behind RETURNING. */
export const JOB_COLUMNS = COLUMNS.join(', ')

/** The same for joins: `select ${jobColumns('j')} from jobs j join …`. */
export function jobColumns(alias: string): string {
  return COLUMNS.map((column) => `${alias}.${column}`).join(', ')
}

/** A row of JOB_COLUMNS: a job whose backoff is still JSON text. */
export type JobRecord = Omit<JobSummary, 'backoff'> & { readonly backoff: string | null }

export function toSummary(row: JobRecord): JobSummary {
  return { ...row, backoff: row.backoff === null ? null : parseBackoff(row.backoff) }
}

/** Checked when it was written; a newer node's kind of backoff must not make an older node's lists fail. */
function parseBackoff(json: string): Backoff {
  return JSON.parse(json)
}
