/** Reads of single jobs: the full job, its attempts, logs and result. */
import { type FullRecord, SELECT_FULL_JOB, toJob } from '../../rows/job-bodies.ts'
import { JOB_COLUMNS, type JobRecord, toSummary } from '../../rows/job-columns.ts'
import { columnsOf, type Row, type RowOf } from '../../rows/tables.ts'
import type { Reads } from '../../store.ts'
import type { ReadOptions } from './read-options.ts'

type JobReads = Pick<
  Reads,
  'get' | 'getMany' | 'getNumbered' | 'results' | 'attempts' | 'logs' | 'ahead' | 'aheadInKey'
>

/** In the order of the second part of the UNION below. */
const ATTEMPT = columnsOf('jobAttempts', [
  ...(['version', 'worker', 'startedAt', 'finishedAt', 'outcome', 'statusAfter', 'nextRunAt'] as const),
  ...(['error', 'errorKey', 'exitCode'] as const),
])
const ATTEMPTS = `SELECT ${ATTEMPT.of('a')}
  FROM millrace_jobs j JOIN millrace_job_attempts a ON a.seq = j.seq WHERE j.id = $1
  UNION ALL
  -- A completed job has no row for its last attempt: the job's own row holds it.
  SELECT version, locked_by, started_at, finished_at, 'completed', status, NULL, NULL, NULL, NULL
  FROM millrace_jobs WHERE id = $1 AND status = 'completed'
  ORDER BY 1`

// Materialized: the planner prefers to scan the lines of all jobs in the requested order.
const LOG_LINE = columnsOf('jobLogs', ['id', 'version', 'stream', 'at', 'line', 'number'])
const LOGS = `WITH lines AS MATERIALIZED (
    SELECT ${LOG_LINE.list} FROM millrace_job_logs WHERE seq = (SELECT seq FROM millrace_jobs WHERE id = $1) AND id > $2
  ) SELECT * FROM lines ORDER BY id LIMIT $3`

// Two ranges of the claim index, each read no further than the limit.
const AHEAD = `SELECT least($5::bigint, (SELECT count(*) FROM (SELECT FROM millrace_jobs
      WHERE status = 'pending' AND type = $1 AND priority > $2 LIMIT $5) urgent)
    + (SELECT count(*) FROM (SELECT FROM millrace_jobs
      WHERE status = 'pending' AND type = $1 AND priority = $2 AND (run_at, seq) < ($3, $4) LIMIT $5) earlier))::int AS n`

// The same for the line of a key.
const AHEAD_IN_KEY = `SELECT least($6::bigint, (SELECT count(*) FROM (SELECT FROM millrace_jobs
      WHERE status = 'blocked' AND group_name = $1 AND group_key = $2 AND priority > $3 LIMIT $6) urgent)
    + (SELECT count(*) FROM (SELECT FROM millrace_jobs
      WHERE status = 'blocked' AND group_name = $1 AND group_key = $2 AND priority = $3 AND (run_at, seq) < ($4, $5)
      LIMIT $6) earlier))::int AS n`

const RESULTS = `SELECT j.id, r.result FROM millrace_jobs j JOIN millrace_job_results r ON r.seq = j.seq
  WHERE j.id = ANY($1::text[]) AND j.status = 'completed'`

export function createJobReads({ open }: Pick<ReadOptions, 'open'>): JobReads {
  return {
    async get(id) {
      const config = { name: 'read-get', text: `${SELECT_FULL_JOB} WHERE j.id = $1`, values: [id] }
      const { rows } = await open().query<FullRecord>(config)
      return rows[0] ? toJob(rows[0]) : null
    },
    async getMany(ids) {
      const text = `SELECT ${JOB_COLUMNS} FROM millrace_jobs WHERE id = ANY($1::text[])`
      const { rows } = await open().query<JobRecord>({ name: 'read-many', text, values: [ids] })
      return rows.map(toSummary)
    },
    async getNumbered(seqs) {
      const text = `SELECT ${JOB_COLUMNS} FROM millrace_jobs WHERE seq = ANY($1::bigint[])`
      const { rows } = await open().query<JobRecord>({ name: 'read-numbered', text, values: [seqs] })
      return rows.map(toSummary)
    },
    async results(ids) {
      const { rows } = await open().query<Row<'jobs', 'id'> & Row<'jobResults', 'result'>>({
        ...{ name: 'read-results', text: RESULTS, values: [ids] },
      })
      return new Map(rows.map(({ id, result }) => [id, JSON.parse(result)]))
    },
    async attempts(id) {
      return (await open().query<RowOf<typeof ATTEMPT>>({ name: 'read-attempts', text: ATTEMPTS, values: [id] })).rows
    },
    async ahead({ job: { seq, type, priority, runAt }, limit }) {
      const config = { name: 'read-ahead', text: AHEAD, values: [type, priority, runAt, seq, limit] }
      return (await open().query<{ n: number }>(config)).rows[0]?.n ?? 0
    },
    async aheadInKey({ job: { seq, groupName, groupKey, priority, runAt }, limit }) {
      const values = [groupName, groupKey, priority, runAt, seq, limit]
      const config = { name: 'read-ahead-in-key', text: AHEAD_IN_KEY, values }
      return (await open().query<{ n: number }>(config)).rows[0]?.n ?? 0
    },
    async logs(id, { after, limit }) {
      return (await open().query<RowOf<typeof LOG_LINE>>({ name: 'read-logs', text: LOGS, values: [id, after, limit] }))
        .rows
    },
  }
}
