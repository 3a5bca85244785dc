/** Fills a PostgreSQL queue quickly with set-based SQL, with the counters an engine would have written. */
import { Client } from 'pg'
import { openEngine } from '../../server/index.ts'
import { DAY, MINUTE } from '../../shared/limits.ts'
import type { Crowd } from '../growth/crowd.ts'
import { PAYLOAD } from './subject.ts'

export async function fill(url: string, crowd: Crowd, jobs: number): Promise<void> {
  // The engine creates the tables.
  await (await openEngine({ url, services: false })).close()
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const now = Date.now()
    await client.query('SET synchronous_commit = off')
    await client.query('BEGIN')
    await client.query(insertJobs(crowd), [jobs, now, now - DAY, DAY / jobs])
    await client.query('INSERT INTO millrace_job_bodies (seq, payload) SELECT seq, $1 FROM millrace_jobs', [
      JSON.stringify(PAYLOAD),
    ])
    for (const statement of restOf(now)) await client.query(statement)
    await client.query('COMMIT')
    // As autovacuum would do later. Also keeps write-back out of the measurements.
    await client.query('VACUUM ANALYZE')
    await checkpoint(client)
  } finally {
    await client.end()
  }
}

/** Created evenly over the last day; ids grow with time as UUID v7 do. */
function insertJobs({ type, status, priority }: Crowd): string {
  const finished = `status IN ('completed', 'failed')`
  const hex = (value: string, digits: number) => `lpad(to_hex(${value}), ${digits}, '0')`
  return `
    INSERT INTO millrace_jobs (id, type, status, priority, attempts, version, run_at, locked_by, created_at, updated_at, started_at,
      finished_at)
    SELECT ${hex('at / 65536', 8)} || '-' || ${hex('at % 65536', 4)} || '-7000-8000-' || ${hex('i', 12)}, type, status,
      priority, (${finished})::int, (${finished})::int,
      CASE status WHEN 'scheduled' THEN $2::bigint + ${DAY} + i ELSE at END,
      CASE status WHEN 'completed' THEN 'worker' END, at, at,
      CASE WHEN ${finished} THEN at END, CASE WHEN ${finished} THEN at + 50 END
    FROM (
      SELECT i, ${type} AS type, ${status} AS status, ${priority} AS priority,
        $3::bigint + floor(i * $4::float8)::bigint AS at
      FROM generate_series(0, $1::int - 1) AS i) AS made`
}

function restOf(now: number): readonly string[] {
  return [
    `INSERT INTO millrace_job_attempts (seq, version, type, worker, started_at, finished_at, outcome, status_after)
      SELECT seq, version, type, 'worker', started_at, finished_at, status, status FROM millrace_jobs WHERE status = 'failed'`,
    'INSERT INTO millrace_job_counts (type, status, n) SELECT type, status, count(*) FROM millrace_jobs GROUP BY type, status',
    `INSERT INTO millrace_job_types (name, created_at, updated_at) SELECT type, ${now}, ${now} FROM millrace_job_counts GROUP BY type`,
    `INSERT INTO millrace_job_minutes (minute, type, enqueued, completed)
      SELECT created_at / ${MINUTE}, type, count(*), count(*) FILTER (WHERE status = 'completed') FROM millrace_jobs GROUP BY 1, 2`,
  ]
}

/** CHECKPOINT needs a privilege that the user of an external server may lack; then write-back falls into the first rounds. */
async function checkpoint(client: Client): Promise<void> {
  await client.query('CHECKPOINT').catch(() => {})
}
