/** Reads on PostgreSQL that lose their connection: asked once more, then refused as BUSY, never as a fault of ours. */
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore, type PostgresStoreOptions } from '../../../server/store/postgres/store.ts'
import { refused, until } from '../../support/engine.ts'
import { PostgresLine } from '../../support/postgres/connection.ts'
import { testDatabase } from '../../support/postgres/postgres.ts'

const STUCK = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

test('asks again when the connection breaks in the middle of a read', async () => {
  const { store, locker } = await stuck()
  const counts = store.counts()
  await breakOne(locker)
  await until(async () => (await waiting(locker)) === 1)
  await locker.query('commit')
  expect(await counts).toEqual(new Map())
})

test('asks once more and not for ever', async () => {
  const { store, locker } = await stuck()
  const refusal = refused(store.counts())
  await breakOne(locker)
  await breakOne(locker)
  expect(await refusal).toMatchObject({ code: 'BUSY', cause: expect.any(Error) })
  expect(await waiting(locker)).toBe(0)
})

test('gives up on an answer that does not come, and on the connection with it', async () => {
  const { store, locker } = await stuck({ answerTimeoutMs: 200 })
  expect(await refused(store.counts())).toMatchObject({ code: 'BUSY', message: expect.stringContaining('too long') })
  await locker.query('commit')
  expect(await store.counts()).toEqual(new Map())
})

test('says of a statement that the server cut off that it took too long, without another try', async () => {
  const { store, locker } = await stuck()
  const refusal = refused(store.counts())
  await until(async () => (await waiting(locker)) === 1)
  await locker.query(`select pg_cancel_backend(pid) ${STUCK}`)
  expect(await refusal).toMatchObject({ code: 'BUSY' })
  expect(await waiting(locker)).toBe(0)
})

test('refuses every question as BUSY while nobody is there, and answers when somebody is', async () => {
  const line = await (await PostgresLine.to(await testDatabase())).open()
  const store = await openPostgresStore({ url: line.url, time: databaseTime })
  onTestFinished(() => store.close())
  const ask = [
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
  for (const one of ask) expect(await refused(one())).toMatchObject({ code: 'BUSY' })
  await line.open()
  for (const one of ask) await one()
})

test('keeps other refusals as they are', async () => {
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

/** Statistics are read once per transaction unless they are thrown away. */
async function waiting(locker: Client): Promise<number> {
  await locker.query('select pg_stat_clear_snapshot()')
  return (await locker.query(`select pid ${STUCK}`)).rowCount ?? 0
}
