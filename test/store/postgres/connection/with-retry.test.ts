/** Reads that lose their PostgreSQL connection: retried once, then refused with BUSY. */
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore, type PostgresStoreOptions } from '../../../../server/store/postgres/store.ts'
import { refused, until } from '../../../support/engine.ts'
import { PostgresLine } from '../../../support/postgres/connection.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'

const STUCK = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

test('retries when the connection breaks during a read', async () => {
  const { store, locker } = await stuck()
  const counts = store.counts()
  await breakOne(locker)
  await until(async () => (await waiting(locker)) === 1)
  await locker.query('commit')
  expect(await counts).toEqual(new Map())
})

test('retries only once', async () => {
  const { store, locker } = await stuck()
  const refusal = refused(store.counts())
  await breakOne(locker)
  await breakOne(locker)
  expect(await refusal).toMatchObject({ code: 'BUSY', cause: expect.any(Error) })
  expect(await waiting(locker)).toBe(0)
})

test('stops waiting for a response after the timeout, and replaces the connection', async () => {
  const { store, locker } = await stuck({ responseTimeoutMs: 200 })
  expect(await refused(store.counts())).toMatchObject({ code: 'BUSY', message: expect.stringContaining('too long') })
  await locker.query('commit')
  expect(await store.counts()).toEqual(new Map())
})

test('refuses a statement that the server cancelled with BUSY, without a retry', async () => {
  const { store, locker } = await stuck()
  const refusal = refused(store.counts())
  await until(async () => (await waiting(locker)) === 1)
  await locker.query(`select pg_cancel_backend(pid) ${STUCK}`)
  expect(await refusal).toMatchObject({ code: 'BUSY' })
  expect(await waiting(locker)).toBe(0)
})

test('refuses every read with BUSY while the server is unreachable, and recovers when it is back', async () => {
  const line = await (await PostgresLine.to(await testDatabase())).open()
  const store = await openPostgresStore({ url: line.url, time: databaseTime })
  onTestFinished(() => store.close())
  const reads = [
    () => store.now(),
    () => store.nextDue(),
    () => store.ready(),
    () => store.facts(),
    () => store.changedElsewhere(),
    () => store.maintain(),
    () => store.failureGroups({ type: null, limit: 1 }),
    () => store.openBulks(),
  ]
  await line.close()
  for (const one of reads) expect(await refused(one())).toMatchObject({ code: 'BUSY' })
  await line.open()
  for (const one of reads) await one()
})

test('returns other errors unchanged', async () => {
  const store = await openPostgresStore({ url: await testDatabase(), time: databaseTime })
  await store.close()
  expect((await refused(store.counts())).code).toBe('CLOSED')
  expect((await refused(store.now())).code).toBe('CLOSED')
})

/** A store whose counts cannot be read before `locker` commits. */
async function stuck(options: Partial<PostgresStoreOptions> = {}) {
  const url = await testDatabase()
  const store = await openPostgresStore({ url, time: databaseTime, ...options })
  onTestFinished(() => store.close())
  const locker = new Client({ connectionString: url })
  await locker.connect()
  onTestFinished(() => locker.end())
  await locker.query('begin')
  await locker.query('lock table millrace_job_counts in access exclusive mode')
  return { store, locker }
}

async function breakOne(locker: Client): Promise<void> {
  await until(async () => (await waiting(locker)) === 1)
  await locker.query(`select pg_terminate_backend(pid, 5000) ${STUCK}`)
}

/** Statistics are cached per transaction unless the snapshot is cleared. */
async function waiting(locker: Client): Promise<number> {
  await locker.query('select pg_stat_clear_snapshot()')
  return (await locker.query(`select pid ${STUCK}`)).rowCount ?? 0
}
