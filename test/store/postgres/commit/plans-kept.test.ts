/** Plans of commits are made once for a connection, perhaps on an empty queue, and stay good when the queue has filled. */
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClaimedRow, ClaimOutcome, Op } from '../../../../server/store/ops.ts'
import { clockTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import type { Store } from '../../../../server/store/store.ts'
import { mayRecordPlans, type Plan, recordPlans } from '../../../support/postgres/plans.ts'
import {
  createBareDatabase,
  createBareInstalledDatabase,
  hasInstalledPostgres,
  testDatabase,
} from '../../../support/postgres/postgres.ts'
import { TestClock } from '../../../support/test-clock.ts'
import { claim, complete, enqueue, fail, plainJob, release } from '../../conformance/fixtures.ts'

const JOBS = 60_000
const TYPES = 5_000
/** Rows of millrace_jobs that a statement for three jobs may read; each is read a few times. */
const FEW = 30
/** Estimated cost; between 90 and 420 when this was written, whatever the number of jobs. */
const CHEAP = 1_000
/** With statistics of other jobs, estimates are wrong. JIT would begin at 100,000. */
const DEAR = 50_000
const SETTLES: readonly ((job: ClaimedRow) => Op)[] = [
  (job) => fail(job, { retryInMs: 3_600_000 }),
  (job) => release(job, 3_600_000),
  (job) => complete(job),
]
/** A third of the jobs each. */
const MIXED = ['pending', 'processing', 'completed']

const SERVERS = [
  { name: 'the server of the run', isThere: true, create: createBareDatabase },
  {
    name: 'an installed server with its defaults',
    isThere: hasInstalledPostgres(),
    create: createBareInstalledDatabase,
  },
]

for (const { name, isThere, create } of SERVERS) {
  describe.skipIf(!isThere)(`on ${name}`, () => {
    it('commits planned on an empty queue read few rows of a full one', async ({ skip }) => {
      const { run, fill, client } = await open(create, skip)
      await client.query('vacuum analyze')
      await run()
      await fill()
      expect(costly(await run())).toEqual([])
    })

    it('commits planned on a full queue without statistics are as cheap', async ({ skip }) => {
      const { run, fill } = await open(create, skip)
      await fill()
      expect(costly(await run())).toEqual([])
    })

    it('commits planned on a full queue with statistics are as cheap', async ({ skip }) => {
      const { run, fill, client } = await open(create, skip)
      await fill()
      await client.query('vacuum analyze')
      expect(costly(await run())).toEqual([])
    })

    it.for(['pending', 'processing', 'completed'])(
      'commits planned with statistics of jobs that were all %s read few rows',
      async (status, { skip }) => {
        const { run, fill, client } = await open(create, skip)
        await fill([status])
        await client.query('vacuum analyze')
        await client.query('truncate millrace_jobs cascade')
        await fill()
        expect(costly(await run(), DEAR)).toEqual([])
      },
    )
  })
}

/** A new database: one that another test has used would have statistics of its jobs. */
async function open(create: typeof createBareDatabase, skip: (condition: boolean, note: string) => void) {
  const database = await testDatabase(create)
  skip(!(await mayRecordPlans(database)), 'needs a superuser')
  const plans = await recordPlans(database)
  const store = await openPostgresStore({ url: plans.url, time: clockTime(new TestClock()), poolSize: 1 })
  onTestFinished(() => store.close())
  const client = new Client({ connectionString: database })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('alter table millrace_jobs set (autovacuum_enabled = off)')
  // Adds the type; the commits after it are plain.
  await store.commit([enqueue(plainJob())])
  const limited = { maxConcurrency: 1_000_000, rate: 1_000_000, burst: 1_000_000 }
  await store.commit([{ kind: 'declareTypes', types: [{ name: 'limited', kind: 'job', declared: limited }] }])
  return {
    client,
    fill: (statuses?: readonly string[]) => fill(client, statuses),
    /** The plans of commits that enqueue, claim and settle three jobs at a time. */
    async run(): Promise<readonly Plan[]> {
      // Loads the rules: `fill` has added types.
      await store.ready()
      plans.seen.length = 0
      for (let n = 0; n < 3; n++) await passThrough(store, 'report')
      for (let n = 0; n < 3; n++) await passThrough(store, 'limited')
      expect(plans.seen.length).toBeGreaterThan(20)
      return [...plans.seen]
    },
  }
}

async function passThrough(store: Store, type: string): Promise<void> {
  const types = [type]
  await store.commit([
    enqueue(plainJob({ type })),
    enqueue(plainJob({ type, delayMs: 3_600_000 })),
    enqueue(plainJob({ type })),
  ])
  for (const settle of SETTLES) {
    const { outcomes } = await store.commit([claim({ types, limit: 3 })])
    const jobs = outcomes.flatMap((outcome) => (outcome.ok ? (outcome.value as ClaimOutcome).jobs : []))
    await store.commit([...jobs.map(settle), claim({ types, limit: 0 })])
  }
}

async function fill(client: Client, statuses: readonly string[] = MIXED): Promise<void> {
  await client.query(
    `insert into millrace_jobs
      (id, type, status, priority, run_at, created_at, updated_at, finished_at, started_at, lease_until, locked_by)
    select gen_random_uuid()::text, 'report', s.status, n % 3, n, n, n, case s.status when 'completed' then n end,
      case s.status when 'pending' then null else n end, case s.status when 'processing' then 5e12 end,
      case s.status when 'pending' then null else 'ada' end
    from generate_series(1, ${JOBS}) n,
      lateral (select ($1::text[])[n % cardinality($1::text[]) + 1] as status) s`,
    [statuses],
  )
  await client.query(
    `insert into millrace_job_types (name, kind, created_at, updated_at)
    select 'type-' || n, 'message', 1, 1 from generate_series(1, ${TYPES}) n on conflict do nothing`,
  )
  await client.query(`insert into millrace_job_counts (type, status, node, n)
    values ('', 'rules', 'other', 1) on conflict (type, status, node) do update set n = millrace_job_counts.n + 1`)
  await client.query(`insert into millrace_job_bodies (seq, payload)
    select seq, '1' from millrace_jobs on conflict do nothing`)
}

function costly(plans: readonly Plan[], limit = CHEAP): readonly unknown[] {
  return plans
    .filter(({ cost, disabled, read }) => cost > limit || disabled.length > 0 || Math.max(...readOf(read)) > FEW)
    .map(({ statement, cost, disabled, read }) => ({ statement, cost, disabled, read: readOf(read) }))
}

/** Rows of the tables that grow. */
function readOf({ millrace_jobs = 0, millrace_job_types = 0 }: Plan['read']): readonly number[] {
  return [millrace_jobs, millrace_job_types]
}
