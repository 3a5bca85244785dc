/** The oldest ready job of each type takes index lookups, whatever the number of jobs. */
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clockTime } from '../../server/store/postgres/connection/clock.ts'
import { connectPostgres } from '../../server/store/postgres/connection/open.ts'
import { ReadSlots } from '../../server/store/postgres/reads/read-slots.ts'
import { createReads } from '../../server/store/postgres/reads/reads.ts'
import { createStatsReads } from '../../server/store/sqlite/reads/read-stats.ts'
import { openSqliteStoreSync } from '../../server/store/sqlite/store.ts'
import { DEFAULTS } from '../../shared/settings/settings.ts'
import { mayRecordPlans, recordPlans } from '../support/postgres/plans.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { tempFolder } from '../support/temp.ts'
import { START, TestClock } from '../support/test-clock.ts'
import { Rows } from './sqlite/rows.ts'

const TYPES = 20
const PRIORITIES = 3
const JOBS = 20_000
/** One entry per priority, and the lookup that finds no further one. */
const LOOKS = TYPES * (PRIORITIES + 1)

const nameOf = (n: number) => `type-${String(n).padStart(3, '0')}`
const expected = Array.from({ length: TYPES }, (_, n) => [nameOf(n), n === 0 ? TYPES : n])

describe('on SQLite', () => {
  it('oldestReady takes one seek per priority in use', async () => {
    const file = join(await tempFolder(), 'queue.db')
    const rows = new Rows(file)
    fillSqlite(rows.client, TYPES)
    const ran: string[] = []
    const client = new Database(file, { verbose: (sql) => ran.push(String(sql)) })
    onTestFinished(() => void client.close())
    const reads = createStatsReads(client)
    ran.length = 0
    expect([...reads.oldestReady()].sort()).toEqual(expected)
    const [types, ...seeks] = ran
    expect(types).toContain('FROM millrace_job_counts')
    expect(seeks).toHaveLength(LOOKS)
    const explain = (sql: string) => rows.client.prepare<[], { detail: string }>(`explain query plan ${sql}`).all()
    const plans = new Set(seeks.flatMap((sql) => explain(sql).map(({ detail }) => detail)))
    expect([...plans]).toEqual([
      'SEARCH millrace_jobs USING COVERING INDEX millrace_jobs_claim (type=? AND priority<?)',
    ])
  })

  it.each([
    [100, 0],
    [101, 1],
  ])('oldestReady of %i types uses %i threads', async (types, started) => {
    const threads: Worker[] = []
    const note = (worker: Worker) => void threads.push(worker)
    process.on('worker', note)
    const file = join(await tempFolder(), 'queue.db')
    const store = openSqliteStoreSync({ file, clock: new TestClock() })
    onTestFinished(async () => {
      process.off('worker', note)
      await store.close()
    })
    const client = new Database(file)
    onTestFinished(() => void client.close())
    fillSqlite(client, types)
    const oldest = await store.oldestReady()
    expect([oldest.size, oldest.get(nameOf(7)), threads.length]).toEqual([types, 7, started])
  })
})

describe('on PostgreSQL', () => {
  it('oldestReady takes one index scan per priority in use, and reads no other job', async ({ skip }) => {
    const database = await testDatabase()
    skip(!(await mayRecordPlans(database)), 'needs a superuser')
    const plans = await recordPlans(database)
    const { pool } = await connectPostgres(plans.url, { poolSize: 1 })
    onTestFinished(() => pool.end())
    await pool.query(`insert into millrace_jobs (id, type, status, priority, run_at, created_at, updated_at, finished_at)
      select 'job-' || n, 'type-' || lpad((n % ${TYPES})::text, 3, '0'), case when n > ${JOBS / 2} then 'completed' else 'pending' end,
        n / ${TYPES} % ${PRIORITIES}, n, n, n, case when n > ${JOBS / 2} then n end
      from generate_series(1, ${JOBS}) n`)
    await pool.query(
      `insert into millrace_job_counts (type, status, node, n) select type, status, 'a', count(*) from millrace_jobs group by 1, 2`,
    )
    await pool.query(
      `insert into millrace_job_counts (type, status, node, n) values ('gone', 'pending', 'a', 2), ('gone', 'pending', 'b', -2)`,
    )
    const time = clockTime({ now: () => START })
    const reads = createReads({
      open: () => pool,
      slots: new ReadSlots(1),
      time,
      defaults: DEFAULTS,
      searchBudgetMs: 1_000,
    })
    for (const analysed of [false, true]) {
      if (analysed) await pool.query('analyze')
      plans.seen.length = 0
      expect([...(await reads.oldestReady())].sort()).toEqual(expected)
      expect(plans.seen.map(({ read }) => read.millrace_jobs)).toEqual([TYPES * PRIORITIES])
    }
  })
})

/** Half of them completed, the others ready since their number, alternating over types and then priorities. */
function fillSqlite(client: Database.Database, types: number): void {
  client.exec(`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${JOBS})
    insert into millrace_jobs (id, type, status, priority, run_at, created_at, updated_at, finished_at)
    select 'job-' || n, printf('type-%03d', n % ${types}), iif(n > ${JOBS / 2}, 'completed', 'pending'),
      n / ${types} % ${PRIORITIES}, n, n, n, iif(n > ${JOBS / 2}, n, null) from numbers;
    insert into millrace_job_counts (type, status, n) select type, status, count(*) from millrace_jobs group by 1, 2;
    insert into millrace_job_counts (type, status, n) values ('gone', 'pending', 0)`)
}
