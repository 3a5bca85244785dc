/** Stats of many types take a fixed number of statements, and totals no row per type. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { QueryResult } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { connectPostgres } from '../../server/store/postgres/connection/open.ts'
import { createStatsReads as createPostgresReads } from '../../server/store/postgres/reads/read-stats.ts'
import { KeptCounts } from '../../server/store/sqlite/commit/kept-counts.ts'
import { createStatsReads } from '../../server/store/sqlite/reads/read-stats.ts'
import { emptyCounts } from '../../shared/status.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { tempFolder } from '../support/temp.ts'
import { Rows } from './sqlite/rows.ts'

const TYPES = 1_000
/** A type with more jobs than one scan reads. */
const LARGE = 500
const LARGE_JOBS = 50
const names = Array.from({ length: TYPES }, (_, n) => `type-${String(n).padStart(4, '0')}`)
const oldest = new Map(names.map((name, n) => [name, n]))
const pending = TYPES + LARGE_JOBS
/** The sums of the minute rows. */
const activity = { enqueued: 2 * TYPES, completed: TYPES, failed: 0, dead: 0 }

const JOBS = [
  `insert into millrace_jobs (id, type, status, run_at, created_at, updated_at)`,
  `insert into millrace_job_counts (type, status, n) select type, status, count(*) from millrace_jobs group by type, status`,
  `insert into millrace_job_minutes (minute, type, enqueued, completed, waits) select 7, type, 2, 1, '[0,3]' from millrace_job_counts`,
] as const

async function sqlite() {
  const file = join(await tempFolder(), 'queue.db')
  const { client: filler } = new Rows(file)
  const json = JSON.stringify(names)
  filler.exec(`${JOBS[0]} select value, value, 'pending', key, key, key from json_each('${json}');
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${LARGE_JOBS})
    ${JOBS[0]} select 'large-' || n, '${names[LARGE]}', 'pending', ${TYPES} + n, 0, 0 from numbers;
    ${JOBS[1]}; ${JOBS[2]}`)
  const ran: string[] = []
  const client = new Database(file, { verbose: (sql) => ran.push(String(sql)) })
  onTestFinished(() => void client.close())
  const counts = new KeptCounts(client)
  const statements = <Value>(read: () => Value) => {
    ran.length = 0
    return [read(), ran.filter((sql) => !sql.startsWith('PRAGMA')).length] as const
  }
  return { filler, counts, reads: createStatsReads(client, counts), statements }
}

it('SQLite reads the oldest job of each of many types, and their activity, in a few statements', async () => {
  const { reads, statements } = await sqlite()
  // The types, a scan on either side of the large one, and two seeks for it.
  expect(statements(() => reads.oldestReady())).toEqual([oldest, 5])
  expect(statements(() => reads.oldestReady(names[7]))).toEqual([new Map([[names[7], 7]]), 2])
  const [sums, ran] = statements(() => reads.activity({ sinceMinute: 7, type: null }))
  expect([sums, ran]).toMatchObject([activity, 1])
  expect(sums.waits.slice(0, 3)).toEqual([0, 3 * TYPES, 0])
  expect(reads.activity({ sinceMinute: 7, type: 'type-0001' })).toMatchObject({ enqueued: 2, completed: 1 })
  expect(reads.activity({ sinceMinute: 8, type: null })).toMatchObject({ enqueued: 0, completed: 0 })
})

it('SQLite reads no counts after its own commit, and all of them after a commit of another connection', async () => {
  const { filler, counts, reads, statements } = await sqlite()
  const read = () => [reads.totals(), reads.counts().get('type-0003')]
  const of = (waiting: number, processing: number) => ({ ...emptyCounts(), pending: waiting, processing })
  expect(statements(read)).toEqual([[of(pending, 0), of(1, 0)], 2])
  counts.apply([{ id: 'a', type: 'type-0003', from: 'pending', to: 'processing' }])
  expect(statements(read)).toEqual([[of(pending - 1, 1), of(0, 1)], 0])
  filler.exec(`update millrace_job_counts set n = 5 where type = 'type-0003'`)
  expect(statements(read)).toEqual([[of(pending + 4, 0), of(5, 0)], 2])
  counts.forget()
  expect(statements(read)).toEqual([[of(pending + 4, 0), of(5, 0)], 2])
})

it('PostgreSQL returns totals, counts and activity of many types in one row or a row per status', async () => {
  const { pool } = await connectPostgres(await testDatabase(), { poolSize: 1 })
  onTestFinished(() => pool.end())
  await pool.query(`${JOBS[0]} select 'type-' || lpad(n::text, 4, '0'), 'type-' || lpad(n::text, 4, '0'), 'pending', n, n, n
    from generate_series(0, ${TYPES - 1}) n`)
  await pool.query(`${JOBS[0]} select 'large-' || n, '${names[LARGE]}', 'pending', ${TYPES} + n, 0, 0
    from generate_series(1, ${LARGE_JOBS}) n`)
  await pool.query(JOBS[1])
  await pool.query(JOBS[2])
  const query = vi.spyOn(pool, 'query')
  const reads = createPostgresReads({ open: () => pool })
  const rowCounts = () => query.mock.settledResults.map(({ value }) => (value as unknown as QueryResult).rowCount)
  expect(await reads.totals()).toEqual({ ...emptyCounts(), pending })
  expect(await reads.activity({ sinceMinute: 7, type: null })).toMatchObject(activity)
  expect((await reads.activity({ sinceMinute: 7, type: null })).waits.slice(0, 3)).toEqual([0, 3 * TYPES, 0])
  const counts = await reads.counts()
  expect([[...counts.keys()], counts.get(names[LARGE] ?? '')?.pending]).toEqual([names, LARGE_JOBS + 1])
  expect([...(await reads.counts('type-0001')).keys()]).toEqual(['type-0001'])
  expect(await reads.oldestReady('type-0007')).toEqual(new Map([['type-0007', 7]]))
  expect(rowCounts()).toEqual([1, 1, 1, 1, 1])
  expect(await reads.oldestReady()).toEqual(oldest)
})
