/** Plans of the queue's statements: none is JIT-compiled, and none needs a scan that the session has disabled. */
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Engine, openEngine } from '../../../../server/index.ts'
import { databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { connectPostgres } from '../../../../server/store/postgres/connection/open.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import { mayRecordPlans, type Plans, recordPlans } from '../../../support/postgres/plans.ts'
import {
  createDatabase,
  createInstalledDatabase,
  hasInstalledPostgres,
  testDatabase,
} from '../../../support/postgres/postgres.ts'
import { enqueue, jobAction, plainJob } from '../../conformance/fixtures.ts'

/** The default of `jit_above_cost`. */
const COMPILED_ABOVE = 100_000

const SERVERS = [
  { name: 'the server of the run', isThere: true, create: createDatabase },
  { name: 'an installed server with its defaults', isThere: hasInstalledPostgres(), create: createInstalledDatabase },
]

for (const { name, isThere, create } of SERVERS) {
  describe.skipIf(!isThere)(`on ${name}`, () => {
    it('a connection of the pool has JIT disabled', async () => {
      const { pool } = await connectPostgres(await testDatabase(create))
      onTestFinished(() => pool.end())
      expect((await pool.query('show jit')).rows).toEqual([{ jit: 'off' }])
    })

    it('the life cycle of jobs compiles no statement, and finds all rows by index', async ({ skip }) => {
      const database = await testDatabase(create)
      skip(!(await mayRecordPlans(database)), 'needs a superuser')
      const plans = await recordPlans(database)
      const engine = await openEngine({ url: plans.url })
      onTestFinished(() => engine.close())
      await live(engine)
      await engine.close()
      expect(plans.seen.length).toBeGreaterThan(50)
      expect(expensive(plans)).toEqual([])
    })

    it('upkeep, which reads whole tables, compiles no statement', async ({ skip }) => {
      const database = await testDatabase(create)
      skip(!(await mayRecordPlans(database)), 'needs a superuser')
      const plans = await recordPlans(database)
      const store = await openPostgresStore({ url: plans.url, time: databaseTime })
      onTestFinished(() => store.close())
      await store.maintain()
      await store.close()
      expect(plans.seen.some(({ statement }) => statement.includes('DELETE FROM millrace_job_counts'))).toBe(true)
      expect(compiled(plans)).toEqual([])
    })

    it('many removals of one commit take one statement per table', async ({ skip }) => {
      const database = await testDatabase(create)
      skip(!(await mayRecordPlans(database)), 'needs a superuser')
      const plans = await recordPlans(database)
      const store = await openPostgresStore({ url: plans.url, time: databaseTime })
      onTestFinished(() => store.close())
      const jobs = Array.from({ length: 30 }, () => plainJob())
      await store.commit([enqueue(...jobs)])
      plans.seen.length = 0
      const { outcomes } = await store.commit(jobs.map(({ id }) => jobAction('remove', id, 'anna')))
      await store.close()
      expect(outcomes.every(({ ok }) => ok)).toBe(true)
      const writes = plans.seen.flatMap(
        ({ statement }) => /^(DELETE FROM|INSERT INTO) millrace_(job\w*|audit)\b/.exec(statement)?.[0] ?? [],
      )
      expect(writes.filter((write) => !write.includes('millrace_job_counts')).sort()).toEqual([
        'DELETE FROM millrace_job_attempts',
        'DELETE FROM millrace_job_bodies',
        'DELETE FROM millrace_job_logs',
        'DELETE FROM millrace_job_results',
        'DELETE FROM millrace_jobs',
        'INSERT INTO millrace_audit',
      ])
    })

    it('a read of the dashboard compiles no statement', async ({ skip }) => {
      const database = await testDatabase(create)
      skip(!(await mayRecordPlans(database)), 'needs a superuser')
      const plans = await recordPlans(database)
      const engine = await openEngine({ url: plans.url })
      onTestFinished(() => engine.close())
      await live(engine)
      plans.seen.length = 0
      await look(engine)
      await engine.close()
      expect(plans.seen.length).toBeGreaterThan(10)
      expect(compiled(plans)).toEqual([])
    })

    it("a job enqueued in a caller's transaction compiles no statement", async ({ skip }) => {
      const database = await testDatabase(create)
      skip(!(await mayRecordPlans(database)), 'needs a superuser')
      const plans = await recordPlans(database)
      const engine = await openEngine({ url: database })
      onTestFinished(() => engine.close())
      const client = new Client({ connectionString: plans.url })
      await client.connect()
      await client.query('begin')
      await engine.enqueueTx(client, { type: 'mail', payload: 1, dedupeKey: 'once' })
      await client.query('commit')
      await client.end()
      expect(plans.seen.some(({ statement }) => statement.includes('millrace_job_bodies'))).toBe(true)
      expect(expensive(plans)).toEqual([])
    })
  })
}

/** Removes duplicate statements. */
function expensive({ seen }: Plans): readonly string[] {
  const found = seen.filter(
    ({ cost, disabled, isCompiled }) =>
      isCompiled || cost > COMPILED_ABOVE || disabled.some((node) => node.includes('Scan')),
  )
  return [...new Set(found.map(({ statement }) => statement))]
}

function compiled({ seen }: Plans): readonly string[] {
  return seen.filter(({ isCompiled }) => isCompiled).map(({ statement }) => statement)
}

async function live(engine: Engine): Promise<void> {
  await engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 1_000 } }] })
  await engine.enqueueMany({ jobs: [1, 2, 3, 4, 5, 6].map((payload) => ({ type: 'mail', payload })) })
  await engine.enqueue({ type: 'mail', payload: 7, delayMs: 60_000 })
  const [one, two, three, four] = await engine.claim({ worker: 'ada', types: ['mail'], limit: 4 })
  if (!one || !two || !three || !four) throw new Error('four jobs are ready')
  await engine.heartbeat({ worker: 'ada', leases: [{ id: one.id, version: one.version }] })
  await engine.progress({ id: one.id, version: one.version, progress: 0.5 })
  await engine.log({ id: one.id, version: one.version, lines: [{ line: 'half of it' }] })
  await engine.complete({ id: one.id, version: one.version, result: 1 })
  await engine.fail({ id: two.id, version: two.version, error: 'broken' })
  await engine.fail({ id: three.id, version: three.version, error: 'broken', retry: false })
  await engine.release({ id: four.id, version: four.version })
  await engine.retry({ id: three.id })
  await engine.cancel({ id: four.id })
  await engine.remove({ id: four.id })
  await engine.cleanup({ olderThanMs: 0 })
}

async function look(engine: Engine): Promise<void> {
  const { jobs } = await engine.list({ status: ['pending'] })
  const [job] = jobs
  if (!job) throw new Error('a job is pending')
  await engine.get({ id: job.id })
  await engine.explain({ id: job.id })
  await engine.attempts({ id: job.id })
  await engine.logs({ id: job.id })
  await Promise.all([engine.counts(), engine.stats(), engine.history(), engine.types(), engine.workers()])
  await Promise.all([engine.failureGroups(), engine.auditTrail(), engine.facts(), engine.levels()])
}
