/** Reads of single jobs: the whole of one, its attempts, its logs, its result. */
import type { Attempt, LogLine } from '../../../../shared/job.ts'
import { type FullRecord, SELECT_FULL_JOB, toJob } from '../../rows/job-bodies.ts'
import { JOB_COLUMNS, type JobRecord, toSummary } from '../../rows/job-columns.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type JobReads = Pick<SyncReads, 'get' | 'getMany' | 'getNumbered' | 'results' | 'attempts' | 'logs' | 'ahead'>

export function createJobReads(client: Client): JobReads {
  const full = client.prepare<[string], FullRecord>(`${SELECT_FULL_JOB} where j.id = ?`)
  const summary = client.prepare<[string], JobRecord>(`select ${JOB_COLUMNS} from millrace_jobs where id = ?`)
  const numbered = client.prepare<[number], JobRecord>(`select ${JOB_COLUMNS} from millrace_jobs where seq = ?`)
  const result = client.prepare<[string], { result: string }>(
    `select r.result from millrace_jobs j join millrace_job_results r on r.seq = j.seq where j.id = ? and j.status = 'completed'`,
  )
  const attempts = client.prepare<[string, string], Attempt>(
    `select a.version, a.worker, a.started_at as startedAt, a.finished_at as finishedAt, a.outcome,
      a.status_after as statusAfter, a.next_run_at as nextRunAt, a.error, a.error_key as errorKey,
      a.exit_code as exitCode
    from millrace_jobs j join millrace_job_attempts a on a.seq = j.seq where j.id = ?
    union all
    -- The last attempt of a completed job is told by the job itself.
    select version, locked_by, started_at, finished_at, 'completed', status, null, null, null, null
    from millrace_jobs where id = ? and status = 'completed'
    order by 1`,
  )
  // By its index: the planner would rather walk everybody's lines in the order asked for.
  const logs = client.prepare<[string, number, number], LogLine>(
    `select id, version, stream, at, line, number from millrace_job_logs indexed by millrace_job_logs_attempt
    where seq = (select seq from millrace_jobs where id = ?) and id > ? order by id limit ?`,
  )
  // Two ranges of the claim index, each read no further than the limit.
  const urgent = client
    .prepare<[string, number, number], number>(
      `select count(*) from (select 1 from millrace_jobs indexed by millrace_jobs_claim
      where status = 'pending' and type = ? and priority > ? limit ?)`,
    )
    .pluck()
  const earlier = client
    .prepare<[string, number, number, number, number], number>(
      `select count(*) from (select 1 from millrace_jobs indexed by millrace_jobs_claim
      where status = 'pending' and type = ? and priority = ? and (run_at, seq) < (?, ?) limit ?)`,
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
    logs: (id, { after, limit }) => logs.all(id, after, limit),
  }
}
