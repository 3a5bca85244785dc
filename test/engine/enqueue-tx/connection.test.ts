/** enqueueTx on a PostgreSQL connection of the host: settings, permissions, drivers and schemas. */
import { drizzle } from 'drizzle-orm/node-postgres'
import { Client, Pool, types } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../server/compose/open-engine.ts'
import type { Engine } from '../../../server/engine/engine.ts'
import { add, inLine, refused } from '../../support/engine.ts'
import { createBareDatabase, testDatabase } from '../../support/postgres/postgres.ts'
import { startPostgres } from '../../support/postgres/server.ts'
import {
  addOrder,
  counters,
  describeHosts,
  orders,
  postgresClient,
  postgresDrizzle,
} from '../../support/programs/host.ts'

const KINDS = [postgresClient, postgresDrizzle]
const JOB = { type: 'mail', payload: 1 }

async function connect(
  connectionString: string,
  options: ConstructorParameters<typeof Client>[0] = {},
): Promise<Client> {
  const client = new Client({ connectionString, ...(typeof options === 'object' && options) })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** An engine opened as an application does, and its warnings. */
async function openAt(url: string): Promise<{ readonly engine: Engine; readonly warnings: readonly string[] }> {
  const warnings: string[] = []
  const engine = await openEngine({ url, services: false, onWarning: (message) => warnings.push(message) })
  onTestFinished(() => engine.close())
  return { engine, warnings }
}

/** A superuser keeps all permissions, so it switches to another role; other users lose a permission directly. */
const LOSE_RIGHTS = `DO $$ BEGIN
  IF current_setting('is_superuser') = 'on' THEN SET LOCAL ROLE pg_monitor;
  ELSE EXECUTE format('REVOKE INSERT ON millrace_job_bodies FROM %I', current_user); END IF; END $$`

describeHosts(
  'enqueueTx on a connection of the host',
  (open) => {
    it('enqueueTx writes to the tables of the queue, even if the search path finds others', async () => {
      const { engine, host } = await open()
      const begun = await host.begin()
      for (const table of [
        'millrace_jobs',
        'millrace_job_bodies',
        'millrace_job_types',
        'millrace_job_counts',
        'millrace_job_minutes',
      ]) {
        await begun.sql(`CREATE TABLE app.${table} (decoy text)`)
      }
      await begun.sql('SET LOCAL search_path TO app')
      await begun.sql('CREATE TEMP TABLE millrace_jobs (decoy text) ON COMMIT DROP')
      const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      expect(await begun.sql('SHOW search_path')).toEqual([{ search_path: 'app' }])
      await begun.commit()
      expect(await engine.get({ id })).toMatchObject({ payload: 1, status: 'pending' })
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
    })

    it('overlapping calls of enqueueTx run in sequence, and a failed one undoes no other', async () => {
      const { engine, host } = await open()
      const begun = await host.begin('REPEATABLE READ')
      await addOrder(host, begun, 'order-1')
      await add(engine, { dedupeKey: 'unseen' })
      const calls = await Promise.allSettled([
        engine.enqueueTx(begun.tx, { type: 'call', payload: 1, dedupeKey: 'a' }),
        engine.enqueueTx(begun.tx, { type: 'mail', payload: 2, dedupeKey: 'unseen' }),
        engine.enqueueTx(begun.tx, { type: 'call', payload: 3, dedupeKey: 'a' }),
        engine.enqueueManyTx(begun.tx, { jobs: [{ type: 'text', payload: 4, dedupeKey: 'c' }] }),
      ])
      await begun.commit()
      expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
      expect((await engine.list()).total).toBe(3)
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
    })

    it('enqueueTx adds no counter row per transaction', async () => {
      const { engine, host } = await open()
      for (let n = 0; n < 20; n++) {
        const [one, two] = [await host.begin(), await host.begin('REPEATABLE READ')]
        await engine.enqueueTx(one.tx, JOB)
        await engine.enqueueTx(one.tx, JOB)
        if (n === 0) await engine.enqueueTx(two.tx, { ...JOB, type: 'call' })
        await one.commit()
        await two.commit()
      }
      expect(
        await host.sql(
          `SELECT type, sum(n)::int AS n, count(*)::int AS rows FROM millrace_job_counts WHERE type <> '' GROUP BY 1 ORDER BY 1`,
        ),
      ).toEqual([
        { type: 'call', n: 1, rows: 1 },
        { type: 'mail', n: 40, rows: 1 },
      ])
    })

    it('a waiting claim gets a job enqueued in a savepoint, even if others commit before the host', async () => {
      const { engine, host, store, clock, another } = await open()
      const { engine: worker } = await another()
      await add(engine, { type: 'mail' })
      await worker.claim({ worker: 'w', settle: true })
      const { claim } = await inLine(worker, { types: ['mail'] })
      const begun = await host.begin()
      await addOrder(host, begun, 'order-1')
      await begun.sql('SAVEPOINT one')
      const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })
      await add(engine, { type: 'call' })
      await clock.advance(2 * store.pollMs)
      await begun.commit()
      await clock.advance(2 * store.pollMs)
      expect(worker.load.waitingClaims).toBe(0)
      expect(await claim).toEqual([id])
    })

    it.each([
      ['is read-only', 'SET TRANSACTION READ ONLY', 'WRONG_STATE', 'read-only'],
      ['belongs to a user without rights', LOSE_RIGHTS, 'FORBIDDEN', 'may not write'],
    ])(
      'enqueueTx is refused in a transaction that %s, and the transaction stays usable',
      async (_, change, code, words) => {
        const { engine, host } = await open()
        const begun = await host.begin()
        await begun.sql(change)
        const refusal = await refused(Promise.resolve(engine.enqueueTx(begun.tx, JOB)))
        expect([refusal.code, refusal.message]).toEqual([code, expect.stringContaining(words)])
        expect(await begun.sql('SELECT 1 AS one')).toEqual([{ one: 1 }])
        await begun.rollback()
      },
    )

    it('enqueueTx is refused in a failed transaction', async () => {
      const { engine, host } = await open()
      const begun = await host.begin()
      await begun.sql('SELECT 1 / 0').catch(() => {})
      const refusal = await refused(Promise.resolve(engine.enqueueTx(begun.tx, JOB)))
      expect([refusal.code, refusal.message]).toEqual(['WRONG_STATE', expect.stringContaining('roll back')])
      await begun.rollback()
    })

    it('enqueueTx is refused with BUSY after the lock timeout of the host, which can still commit', async () => {
      const { engine, host } = await open()
      const [holder, begun] = [await host.begin(), await host.begin()]
      await engine.enqueueTx(holder.tx, { ...JOB, dedupeKey: 'k' })
      await addOrder(host, begun, 'order-1')
      await begun.sql("SET LOCAL lock_timeout = '10ms'")
      const refusal = await refused(Promise.resolve(engine.enqueueTx(begun.tx, { ...JOB, dedupeKey: 'k' })))
      expect([refusal.code, refusal.details]).toEqual(['BUSY', { sqlState: '55P03' }])
      await begun.commit()
      await holder.rollback()
      expect(await orders(host)).toEqual(['order-1'])
    })

    it('enqueueTx leaves no prepared statements on the connection', async () => {
      const { engine, host } = await open()
      const begun = await host.begin()
      await engine.enqueueTx(begun.tx, { ...JOB, dedupeKey: 'k' })
      expect(await begun.sql('SELECT name FROM pg_prepared_statements')).toEqual([])
      await begun.rollback()
    })
  },
  KINDS,
)

it('enqueueTx works when the host parses integers as bigints', async () => {
  const url = await testDatabase()
  const { engine } = await openAt(url)
  const asBigint = (id: number) =>
    id === types.builtins.INT8 || id === types.builtins.INT4 ? BigInt : types.getTypeParser(id)
  const client = await connect(url, { types: { getTypeParser: asBigint } })
  await client.query('BEGIN')
  const { id } = await engine.enqueueTx(client, { ...JOB, delayMs: 60_000 })
  await client.query('COMMIT')
  const { createdAt, runAt, status } = await engine.get({ id })
  expect([runAt - createdAt, status]).toEqual([60_000, 'scheduled'])
})

it('enqueueTx finds a queue in a schema outside the search path of the host', async () => {
  const url = await testDatabase(createBareDatabase)
  const client = await connect(url)
  await client.query('CREATE SCHEMA "The Queue"')
  const { engine } = await openAt(`${url}?options=${encodeURIComponent('-c search_path="The\\ Queue"')}`)
  await client.query('BEGIN')
  const { id } = await engine.enqueueTx(client, { ...JOB, dedupeKey: 'k' })
  await client.query('COMMIT')
  expect((await client.query('SELECT id FROM "The Queue".millrace_jobs')).rows).toEqual([{ id }])
  expect((await engine.get({ id })).status).toBe('pending')
})

it('enqueueTx recognises its database after a restart of the database server', async () => {
  const server = await startPostgres({ synchronous_commit: 'on' })
  onTestFinished(() => server.stop())
  const { engine } = await openAt(server.url)
  for (const n of [1, 2]) {
    if (n === 2) await server.restartImmediately()
    const client = new Client({ connectionString: server.url })
    client.on('error', () => {})
    await client.connect()
    await client.query('BEGIN')
    await engine.enqueueTx(client, JOB)
    await client.query('COMMIT')
    expect((await client.query('SELECT id FROM millrace_jobs')).rowCount).toBe(n)
    await client.end()
  }
})

it('enqueueTx refuses a pool, whose statements may run on any connection', async () => {
  const url = await testDatabase()
  const { engine } = await openAt(url)
  const pool = new Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  for (const tx of [pool, drizzle({ client: pool })]) {
    const refusal = await refused(Reflect.apply(engine.enqueueTx, engine, [tx, JOB]))
    expect([refusal.code, refusal.message]).toEqual(['BAD_INPUT', expect.stringContaining('not its pool')])
  }
})

it('enqueueTx refuses another database server, even an identical one', async () => {
  const url = await testDatabase()
  const { engine } = await openAt(url)
  const client = await connect(url)
  await client.query('BEGIN')
  // The response of an identical server that was started at another time.
  const twin = {
    escapeLiteral: (text: string) => client.escapeLiteral(text),
    async query(text: string, values: unknown[]) {
      const { rows, rowCount } = await client.query(text, values)
      return { rows: rows.map((row) => ('server' in row ? { ...row, server: '1' } : row)), rowCount }
    },
  }
  const refusal = await refused(engine.enqueueTx(twin, JOB))
  expect(refusal.message).toContain('another database')
  expect((await engine.enqueueTx(client, JOB)).status).toBe('pending')
})

it('enqueueTx accepts a driver that returns plain rows, like postgres.js', async () => {
  const url = await testDatabase()
  const { engine } = await openAt(url)
  const client = await connect(url)
  const ids = await drizzle({ client }).transaction(async (tx) => {
    const like = {
      rollback: () => tx.rollback(),
      refreshMaterializedView: () => null,
      async execute(query: Parameters<typeof tx.execute>[0]) {
        const { rows, rowCount } = await tx.execute(query)
        return Object.assign(rows, { count: rowCount })
      },
    }
    const first = await engine.enqueueTx(like, { ...JOB, dedupeKey: 'k' })
    return [first.id, (await engine.enqueueTx(like, { ...JOB, dedupeKey: 'k' })).id]
  })
  expect(new Set(ids).size).toBe(1)
  expect((await engine.stats()).counts.pending).toBe(1)
})

it('enqueueTx warns once when the transaction of the host is less durable than the queue', async () => {
  const url = await testDatabase()
  // The test server confirms commits before they are on disk.
  const { engine, warnings } = await openAt(`${url}?options=${encodeURIComponent('-c synchronous_commit=on')}`)
  const client = await connect(url)
  for (const setting of ['on', 'off', 'off']) {
    await client.query(`BEGIN; SET LOCAL synchronous_commit = ${setting}`)
    await engine.enqueueTx(client, JOB)
    await client.query('COMMIT')
    expect(warnings).toHaveLength(setting === 'on' ? 0 : 1)
  }
  expect(warnings[0]).toContain('synchronous_commit = off')
})
