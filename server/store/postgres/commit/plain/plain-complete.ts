/** Completions of a plain commit: one statement locks, checks and completes the jobs, and stores their results. */
import type { OpOf } from '../../../ops.ts'
import { columnsOf, type RowOf } from '../../../rows/tables.ts'
import { instantOr } from '../../connection/clock.ts'
import { columns, type Session } from '../../connection/session.ts'

const COMPLETED = columnsOf('jobs', ['id', 'type', 'startedAt', 'lockedBy', 'claimRequestId', 'groupKey', 'tick'])
/** For the hand-on. */
const COMPLETED_WITH_KEY = columnsOf('jobs', [
  ...([
    'id',
    'type',
    'startedAt',
    'lockedBy',
    'claimRequestId',
    'groupKey',
    'tick',
    'seq',
    'groupName',
    'runAt',
  ] as const),
])
export type CompletedRecord = RowOf<typeof COMPLETED> & Partial<RowOf<typeof COMPLETED_WITH_KEY>>

/**
 * Returns the jobs that were completed; jobs with another version or status are left out. Locked in order of seq, as in every commit,
 * so that no two commits deadlock. Each step finds rows by a unique key. OFFSET 0 hides the status from the planner: a plan that was
 * made on an empty table could otherwise read the index of all running jobs from then on.
 */
export function completeJobs(
  session: Session,
  ops: readonly OpOf<'complete'>[],
  withKeys: boolean,
): Promise<readonly CompletedRecord[]> {
  return session.rows<CompletedRecord>(
    withKeys ? 'complete-with-keys' : 'complete',
    `WITH found AS MATERIALIZED (
       SELECT (SELECT seq FROM millrace_jobs WHERE id = g.id) AS seq, g.version, g.result
       FROM unnest($1::text[], $2::bigint[], $3::text[]) AS g (id, version, result) ORDER BY 1
     ), held AS MATERIALIZED (
       SELECT j.seq, found.result FROM found, LATERAL (
         SELECT seq, version, status FROM millrace_jobs WHERE seq = found.seq OFFSET 0 FOR UPDATE) AS j
       WHERE j.version = found.version AND j.status = 'processing'
     ), results AS (
       INSERT INTO millrace_job_results (seq, result) SELECT seq, result FROM held WHERE result IS NOT NULL
     )
     UPDATE millrace_jobs SET status = 'completed', lease_until = NULL, lease_ms = NULL, error = NULL,
       cancel_requested_at = NULL, finished_at = ${instantOr('$4')}, updated_at = ${instantOr('$4')}
     WHERE seq = ANY(ARRAY(SELECT seq FROM held))
     RETURNING ${withKeys ? COMPLETED_WITH_KEY.list : COMPLETED.list}`,
    [...columns(ops, ({ id, version, result }) => [id, version, result]), session.instant],
  )
}
