/** Fills a SQLite queue quickly: raw SQL without fsync, with the counters an engine would have written. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { openEngine } from '../../server/index.ts'
import { DAY, MINUTE } from '../../shared/limits.ts'
import { payloadOf } from '../harness/payload-of.ts'
import type { Crowd } from './crowd.ts'

const PER_TRANSACTION = 100_000
const PAYLOAD_BYTES = 200

export async function fill(file: string, crowd: Crowd, jobs: number): Promise<void> {
  // The engine creates the tables.
  await (await openEngine({ url: `sqlite:${file}`, services: false })).close()
  const client = new Database(file)
  client.pragma('journal_mode = MEMORY')
  client.pragma('synchronous = OFF')
  client.pragma('foreign_keys = OFF')
  client.pragma('cache_size = -262144')
  const now = Date.now()
  const insert = client.prepare(insertJobs(crowd))
  const insertChunk = client.transaction((from: number, to: number) => {
    insert.run({ from, to, now, startedAt: now - DAY, everyMs: DAY / jobs })
  })
  for (let from = 0; from < jobs; from += PER_TRANSACTION) insertChunk(from, Math.min(jobs, from + PER_TRANSACTION))
  client.transaction(() => insertRest(client, now))()
  client.close()
  flush(file)
}

/** Created evenly over the last day; ids grow with time as UUID v7 do. Bound numbers arrive as REAL, hence the CAST. */
function insertJobs({ type, status, priority }: Crowd): string {
  return `
    WITH RECURSIVE
      numbers (i) AS (SELECT CAST(@from AS integer) UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < @to),
      made AS (
        SELECT i, ${type} AS type, ${status} AS status, ${priority} AS priority,
          CAST(@startedAt + i * @everyMs AS integer) AS at FROM numbers)
    INSERT INTO millrace_jobs (id, type, status, priority, attempts, version, run_at, locked_by, created_at, updated_at, started_at,
      finished_at)
    SELECT printf('%08x-%04x-7000-8000-%012x', at / 65536, at % 65536, i), type, status, priority,
      status IN ('completed', 'failed'), status IN ('completed', 'failed'),
      iif(status = 'scheduled', CAST(@now AS integer) + ${DAY} + i, at), iif(status = 'completed', 'worker', NULL), at, at,
      iif(status IN ('completed', 'failed'), at, NULL), iif(status IN ('completed', 'failed'), at + 50, NULL)
    FROM made`
}

function insertRest(client: Database.Database, now: number): void {
  const payload = JSON.stringify(payloadOf(PAYLOAD_BYTES))
  client.prepare('INSERT INTO millrace_job_bodies (seq, payload) SELECT seq, ? FROM millrace_jobs').run(payload)
  client.exec(`
    INSERT INTO millrace_job_attempts (seq, version, type, worker, started_at, finished_at, outcome, status_after)
      SELECT seq, version, type, 'worker', started_at, finished_at, status, status FROM millrace_jobs WHERE status = 'failed';
    INSERT INTO millrace_job_counts (type, status, n) SELECT type, status, count(*) FROM millrace_jobs GROUP BY type, status;
    INSERT INTO millrace_job_types (name, created_at, updated_at) SELECT type, ${now}, ${now} FROM millrace_job_counts GROUP BY type;
    INSERT INTO millrace_job_minutes (minute, type, enqueued, completed)
      SELECT created_at / ${MINUTE}, type, count(*), sum(status = 'completed') FROM millrace_jobs GROUP BY 1, 2`)
}

/** Flushes unsynced writes, so that write-back does not happen during a measurement. */
function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
