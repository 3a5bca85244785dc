/**
 * Outdated statistics change no plan. With statistics of an empty queue PostgreSQL expects no rows, and a plan that sorts instead
 * of using the index order would read all waiting jobs.
 */
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../../server/index.ts'
import { migrate } from '../../../../server/store/postgres/connection/migrate.ts'
import { connectPostgres } from '../../../../server/store/postgres/connection/open.ts'
import { mayRecordPlans, type Plan, recordPlans } from '../../../support/postgres/plans.ts'
import {
  createBareDatabase,
  createBareInstalledDatabase,
  hasInstalledPostgres,
  testDatabase,
} from '../../../support/postgres/postgres.ts'

const TYPES = 20
const PRIORITIES = 3
const JOBS = 6_000
/** Each type has 100 ready and 100 scheduled jobs: a statement that reads more rows did not stop at the first entries. */
const FEW = TYPES * (PRIORITIES + 1) + 10

/** `vacuum` truncates the table only when it gets the lock immediately. */
const STATES = [
  { state: 'none', before: [], after: [] },
  { state: 'of the present rows', before: [], after: ['vacuum analyze millrace_jobs, millrace_job_counts'] },
  { state: 'of a queue that had been drained and vacuumed', before: drained('vacuum (truncate false)'), after: [] },
  { state: 'of a queue that had been drained', before: drained('analyze'), after: [] },
]

const SERVERS = [
  { on: 'the server of the run', isThere: true, create: createBareDatabase, states: STATES },
  {
    on: 'an installed server with its defaults',
    isThere: hasInstalledPostgres(),
    create: createBareInstalledDatabase,
    states: STATES.slice(-1),
  },
]

for (const { on, isThere, create, states } of SERVERS) {
  describe.skipIf(!isThere)(`on ${on}`, () => {
    for (const { state, before, after } of states) {
      it(`with statistics ${state}, job statements and reads do not read all waiting jobs`, async ({ skip }) => {
        const database = await testDatabase(create)
        skip(!(await mayRecordPlans(database)), 'needs a superuser')
        await prepare(database, before, after)
        const plans = await recordPlans(database)
        const engine = await openEngine({ url: plans.url })
        onTestFinished(() => engine.close())
        const jobs = await engine.claim({ worker: 'ada', types: ['type-7', 'type-8'], limit: 10 })
        await engine.claim({ worker: 'ada', limit: 2 })
        for (const { id, version } of jobs) await engine.complete({ id, version, result: 1 })
        await engine.enqueue({ type: 'type-7', payload: 1, dedupeKey: 'once' })
        await engine.levels()
        await engine.close()
        expect(jobs).toHaveLength(10)
        expect(plans.seen.filter(readsMany).map(summary)).toEqual([])
      })
    }
  })
}

function readsMany({ read }: Plan): boolean {
  return (read.millrace_jobs ?? 0) > FEW
}

function summary({ statement, read }: Plan) {
  return { statement, read: read.millrace_jobs }
}

function drained(last: string): string[] {
  return [
    `insert into millrace_jobs (id, type, status, priority, run_at, created_at, updated_at)
      select 'gone-' || n, 'mail', 'pending', n % 3, n, n, n from generate_series(1, 1000) n`,
    'analyze',
    'delete from millrace_jobs',
    last,
  ]
}

async function prepare(database: string, before: readonly string[], after: readonly string[]): Promise<void> {
  const { pool } = await connectPostgres(database, { poolSize: 1 })
  await migrate(pool)
  await pool.end()
  const client = new Client({ connectionString: database })
  await client.connect()
  // No automatic statistics.
  await client.query('alter table millrace_jobs set (autovacuum_enabled = off)')
  for (const statement of before) await client.query(statement)
  await fill(client)
  for (const statement of after) await client.query(statement)
  await client.end()
}

/** One third ready, one third due in a century, one third finished. */
async function fill(client: Client): Promise<void> {
  await client.query(`insert into millrace_jobs (id, type, status, priority, run_at, created_at, updated_at, finished_at)
    select gen_random_uuid()::text, 'type-' || n / 3 % ${TYPES}, s.status, n / 3 / ${TYPES} % ${PRIORITIES},
      case s.status when 'scheduled' then 5e12::bigint + n else n end, n, n, case s.status when 'completed' then n end
    from generate_series(1, ${JOBS}) n,
      lateral (select (array['pending', 'scheduled', 'completed'])[n % 3 + 1] as status) s`)
  await client.query(`insert into millrace_job_bodies (seq, payload) select seq, '1' from millrace_jobs`)
  await client.query(`insert into millrace_job_types (name, kind, created_at, updated_at)
    select distinct type, 'job', 1, 1 from millrace_jobs`)
  await client.query(
    `insert into millrace_job_counts (type, status, node, n) select type, status, 'a', count(*) from millrace_jobs group by 1, 2`,
  )
}
