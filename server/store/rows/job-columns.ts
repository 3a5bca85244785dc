/** Columns of a job without its bodies, and the job that callers get. */

import type { JobSummary } from '../../../shared/job.ts'
import type { JobTick } from '../../../shared/schedules/schedule.ts'
import type { Backoff } from '../../../shared/settings/backoff.ts'
import { columnsOf, type RowOf } from './tables.ts'

const JOB = columnsOf('jobs', [
  ...(['seq', 'id', 'type', 'status', 'priority', 'attempts', 'maxAttempts', 'crashes', 'version', 'runAt'] as const),
  ...(['leaseUntil', 'leaseMs', 'lockedBy', 'error', 'progress', 'dedupeKey', 'dedupeUntil', 'timeoutMs'] as const),
  ...(['backoff', 'face', 'cancelRequestedAt', 'claimRequestId', 'traceparent', 'groupName', 'groupKey'] as const),
  ...(['expiresAt', 'tick', 'createdAt', 'updatedAt', 'startedAt', 'finishedAt'] as const),
])

/** `SELECT ${JOB_COLUMNS} FROM millrace_jobs`; also fits behind RETURNING. */
export const JOB_COLUMNS = JOB.list

/** The same for joins: `SELECT ${jobColumns('j')} FROM millrace_jobs j JOIN …`. */
export const jobColumns = JOB.of

/** A row of JOB_COLUMNS: a job whose backoff and tick are JSON text. */
export type JobRecord = RowOf<typeof JOB>

export function toSummary(row: JobRecord): JobSummary {
  return {
    ...row,
    backoff: row.backoff === null ? null : parseBackoff(row.backoff),
    tick: row.tick === null ? null : parseTick(row.tick),
  }
}

/** Validated when it was written. Not validated again: a newer node's kind of backoff must not break an older node's lists. */
function parseBackoff(json: string): Backoff {
  return JSON.parse(json)
}

function parseTick(json: string): JobTick {
  return JSON.parse(json)
}
