/** Reads of single jobs: the full job, its attempts, logs and result. */
import { type FullRecord, SELECT_FULL_JOB, toJob } from '../../rows/job-bodies.ts'
import { JOB_COLUMNS, type JobRecord, toSummary } from '../../rows/job-columns.ts'
import { columnsOf, type Row, type RowOf } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type JobReads = Pick<
  SyncReads,
  'get' | 'getMany' | 'getNumbered' | 'results' | 'attempts' | 'logs' | 'ahead' | 'aheadInKey'
>

/** In the order of the second part of the UNION below. */
const ATTEMPT = columnsOf('jobAttempts', [
  ...(['version', 'worker', 'startedAt', 'finishedAt', 'outcome', 'statusAfter', 'nextRunAt'] as const),
  ...(['error', 'errorKey', 'exitCode'] as const),
])
const LOG_LINE = columnsOf('jobLogs', ['id', 'version', 'stream', 'at', 'line', 'number'])

export function createJobReads(client: Client): JobReads {
  const full = client.prepare<[string], FullRecord>(`${SELECT_FULL_JOB} WHERE j.id = ?`)
  const summary = client.prepare<[string], JobRecord>(`SELECT ${JOB_COLUMNS} FROM millrace_jobs WHERE id = ?`)
  const numbered = client.prepare<[number], JobRecord>(`SELECT ${JOB_COLUMNS} FROM millrace_jobs WHERE seq = ?`)
  const result = client.prepare<[string], Row<'jobResults', 'result'>>(
    `SELECT r.result FROM millrace_jobs j JOIN millrace_job_results r ON r.seq = j.seq WHERE j.id = ? AND j.status = 'completed'`,
  )
  const attempts = client.prepare<[string, string], RowOf<typeof ATTEMPT>>(
    `SELECT ${ATTEMPT.of('a')}
    FROM millrace_jobs j JOIN millrace_job_attempts a ON a.seq = j.seq WHERE j.id = ?
    UNION ALL
    -- A completed job has no row for its last attempt: the job's own row holds it.
    SELECT version, locked_by, started_at, finished_at, 'completed', status, NULL, NULL, NULL, NULL
    FROM millrace_jobs WHERE id = ? AND status = 'completed'
    ORDER BY 1`,
  )
  // By its index: the planner prefers to scan the lines of all jobs in the requested order.
  const logs = client.prepare<[string, number, number], RowOf<typeof LOG_LINE>>(
    `SELECT ${LOG_LINE.list} FROM millrace_job_logs INDEXED BY millrace_job_logs_attempt
    WHERE seq = (SELECT seq FROM millrace_jobs WHERE id = ?) AND id > ? ORDER BY id LIMIT ?`,
  )
  // Two ranges of the claim index, each read no further than the limit.
  const urgent = client
    .prepare<[string, number, number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM millrace_jobs INDEXED BY millrace_jobs_claim
      WHERE status = 'pending' AND type = ? AND priority > ? LIMIT ?)`,
    )
    .pluck()
  const earlier = client
    .prepare<[string, number, number, number, number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM millrace_jobs INDEXED BY millrace_jobs_claim
      WHERE status = 'pending' AND type = ? AND priority = ? AND (run_at, seq) < (?, ?) LIMIT ?)`,
    )
    .pluck()

  // The same for the line of a key.
  const urgentInKey = client
    .prepare<[string | null, string | null, number, number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM millrace_jobs INDEXED BY millrace_jobs_blocked
      WHERE status = 'blocked' AND group_name = ? AND group_key = ? AND priority > ? LIMIT ?)`,
    )
    .pluck()
  const earlierInKey = client
    .prepare<[string | null, string | null, number, number, number, number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM millrace_jobs INDEXED BY millrace_jobs_blocked
      WHERE status = 'blocked' AND group_name = ? AND group_key = ? AND priority = ? AND (run_at, seq) < (?, ?) LIMIT ?)`,
    )
    .pluck()

  return {
    get(id) {
      const row = full.get(id)
      return row ? toJob(row) : null
    },
    getMany(ids) {
      return ids.flatMap((id) => {
        const row = summary.get(id)
        return row ? [toSummary(row)] : []
      })
    },
    getNumbered(seqs) {
      return seqs.flatMap((seq) => {
        const row = numbered.get(seq)
        return row ? [toSummary(row)] : []
      })
    },
    results(ids) {
      const found = new Map<string, unknown>()
      for (const id of ids) {
        const row = result.get(id)
        if (row) found.set(id, JSON.parse(row.result))
      }
      return found
    },
    attempts: (id) => attempts.all(id, id),
    ahead({ job: { seq, type, priority, runAt }, limit }) {
      const first = urgent.get(type, priority, limit) ?? 0
      return first + (earlier.get(type, priority, runAt, seq, limit - first) ?? 0)
    },
    aheadInKey({ job: { seq, groupName, groupKey, priority, runAt }, limit }) {
      const first = urgentInKey.get(groupName, groupKey, priority, limit) ?? 0
      return first + (earlierInKey.get(groupName, groupKey, priority, runAt, seq, limit - first) ?? 0)
    },
    logs: (id, { after, limit }) => logs.all(id, after, limit),
  }
}
