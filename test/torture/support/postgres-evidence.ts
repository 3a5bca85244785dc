/** Final state in PostgreSQL, read without code of the queue. */
import type { JobFact } from './history.ts'
import { ask } from './postgres-question.ts'

export function jobFacts(url: string): Promise<readonly JobFact[]> {
  return ask<JobFact>(
    url,
    `SELECT id, dedupe_key AS key, status, CASE WHEN status = 'completed' THEN version::int END AS "completedBy" FROM millrace_jobs`,
  )
}

/** [by real COUNT(*), by the counters] */
export async function counted(url: string): Promise<[unknown[], unknown[]]> {
  const order = 'GROUP BY type, status ORDER BY type, status'
  return [
    await ask(url, `SELECT type, status, count(*)::int AS n FROM millrace_jobs ${order}`),
    await ask(
      url,
      `SELECT * FROM (SELECT type, status, sum(n)::int AS n FROM millrace_job_counts WHERE type <> '' ${order}) AS summed WHERE n <> 0`,
    ),
  ]
}

/** [jobs and completed jobs by COUNT(*), the same by the minute tallies] */
export async function tallied(url: string): Promise<[unknown, unknown]> {
  const [real] = await ask(url, `SELECT count(*)::int AS n, count(finished_at)::int AS finished FROM millrace_jobs`)
  const sums = 'SELECT sum(enqueued)::int AS n, sum(completed)::int AS finished FROM millrace_job_minutes'
  return [real, (await ask(url, sums))[0]]
}

/** The rows of the counters, and the number of counters: each may have a row per node until they are folded. */
export async function counterRows(url: string): Promise<{ readonly rows: number; readonly counters: number }> {
  const sql = 'SELECT count(*)::int AS rows, count(DISTINCT (type, status))::int AS counters FROM millrace_job_counts'
  const [row] = await ask<{ rows: number; counters: number }>(url, sql)
  return row ?? { rows: 0, counters: 0 }
}

/** The engine that runs upkeep. */
export async function leader(url: string): Promise<string | null> {
  const [row] = await ask<{ holder: string }>(url, `SELECT holder FROM millrace_leadership WHERE until > ${NOW_MS}`)
  return row?.holder ?? null
}

const NOW_MS = 'extract(epoch from clock_timestamp()) * 1000'
