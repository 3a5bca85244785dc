/** Reads of single jobs: the whole of one, its attempts, its logs, its result. */
import type { Attempt, LogLine } from '../../../../shared/job.ts'
import { type FullRecord, SELECT_FULL_JOB, toJob } from '../../rows/job-bodies.ts'
import { JOB_COLUMNS, type JobRecord, toSummary } from '../../rows/job-columns.ts'
import type { Reads } from '../../store.ts'
import type { ReadOptions } from './read-options.ts'

type JobReads = Pick<Reads, 'get' | 'getMany' | 'getNumbered' | 'results' | 'attempts' | 'logs' | 'ahead'>

const ATTEMPTS = `select a.version, a.worker, a.started_at as "startedAt", a.finished_at as "finishedAt", a.outcome,
    a.status_after as "statusAfter", a.next_run_at as "nextRunAt", a.error, a.error_key as "errorKey",
    a.exit_code as "exitCode"
  from millrace_jobs j join millrace_job_attempts a on a.seq = j.seq where j.id = $1
  union all
  -- The last attempt of a completed job is told by the job itself.
  select version, locked_by, started_at, finished_at, 'completed', status, null, null, null, null
  from millrace_jobs where id = $1 and status = 'completed'
  order by 1`

// Materialized: the planner would rather walk everybody's lines in the order asked for.
const LOGS = `with lines as materialized (
    select id, version, stream, at, line, number from millrace_job_logs where seq = (select seq from millrace_jobs where id = $1) and id > $2
  ) select * from lines order by id limit $3`

// Two ranges of the claim index, each read no further than the limit.
const AHEAD = `select least($5::bigint, (select count(*) from (select from millrace_jobs
      where status = 'pending' and type = $1 and priority > $2 limit $5) urgent)
    + (select count(*) from (select from millrace_jobs
      where status = 'pending' and type = $1 and priority = $2 and (run_at, seq) < ($3, $4) limit $5) earlier))::int as n`

const RESULTS = `select j.id, r.result from millrace_jobs j join millrace_job_results r on r.seq = j.seq
  where j.id = any($1::text[]) and j.status = 'completed'`

export function createJobReads({ open }: Pick<ReadOptions, 'open'>): JobReads {
  return {
    async get(id) {
      const config = { name: 'read-get', text: `${SELECT_FULL_JOB} where j.id = $1`, values: [id] }
      const { rows } = await open().query<FullRecord>(config)
      return rows[0] ? toJob(rows[0]) : null
    },
    async getMany(ids) {
      const text = `select ${JOB_COLUMNS} from millrace_jobs where id = any($1::text[])`
      const { rows } = await open().query<JobRecord>({ name: 'read-many', text, values: [ids] })
      return rows.map(toSummary)
    },
    async getNumbered(seqs) {
      const text = `select ${JOB_COLUMNS} from millrace_jobs where seq = any($1::bigint[])`
      const { rows } = await open().query<JobRecord>({ name: 'read-numbered', text, values: [seqs] })
      return rows.map(toSummary)
    },
    async results(ids) {
      const { rows } = await open().query<{ id: string; result: string }>({
        ...{ name: 'read-results', text: RESULTS, values: [ids] },
      })
      return new Map(rows.map(({ id, result }) => [id, JSON.parse(result)]))
    },
    async attempts(id) {
      return (await open().query<Attempt>({ name: 'read-attempts', text: ATTEMPTS, values: [id] })).rows
    },
    async ahead({ job: { seq, type, priority, runAt }, limit }) {
      const config = { name: 'read-ahead', text: AHEAD, values: [type, priority, runAt, seq, limit] }
      return (await open().query<{ n: number }>(config)).rows[0]?.n ?? 0
    },
    async logs(id, { after, limit }) {
      return (await open().query<LogLine>({ name: 'read-logs', text: LOGS, values: [id, after, limit] })).rows
    },
  }
}
