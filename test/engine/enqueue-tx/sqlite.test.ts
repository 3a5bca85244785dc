/** enqueueTx on SQLite: one writer, one file, durability per connection. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../server/compose/open-engine.ts'
import { QueueError } from '../../../shared/errors.ts'
import { add, ids } from '../../support/engine.ts'
import { counters, describeHosts, orders, sqliteHandle } from '../../support/programs/host.ts'
import { tempFolder } from '../../support/temp.ts'

const JOB = { type: 'mail', payload: 1 }
const orderTable = sqliteTable('orders', { id: text('id').primaryKey() })

function connect(file: string): BetterSqlite.Database {
  const client = new BetterSqlite(file, { timeout: 0 })
  onTestFinished(() => void client.close())
  return client
}

function refusal(call: () => unknown): QueueError {
  try {
    call()
  } catch (error) {
    if (error instanceof QueueError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** An engine on a new file, opened as an application does, and its warnings. */
async function openFile(options: { readonly durability?: 'full' | 'normal'; readonly maxDatabaseBytes?: number } = {}) {
  const file = join(await tempFolder(), 'queue.db')
  const warnings: string[] = []
  const engine = await openEngine({
    url: `sqlite:${file}`,
    services: false,
    onWarning: (message) => warnings.push(message),
    ...options,
  })
  onTestFinished(() => engine.close())
  return { engine, file, warnings }
}

describeHosts(
  'enqueueTx in a transaction of Drizzle',
  (open) => {
    it('enqueueTx in a Drizzle transaction is synchronous, commits with it and works in nested ones', async () => {
      const { engine, host } = await open()
      const db = drizzle({ client: connect(host.address), schema: { orderTable } })
      const answers = db.transaction((tx) => {
        tx.insert(orderTable).values({ id: 'order-1' }).run()
        const first = engine.enqueueTx(tx, JOB)
        const nested = tx.transaction((inner) => engine.enqueueManyTx(inner, { jobs: [JOB, JOB] }))
        return [first, ...nested]
      })
      expect(await orders(host)).toEqual(['order-1'])
      expect(ids((await engine.list({ sort: 'oldest' })).jobs)).toEqual(ids(answers))
    })

    it('enqueueTx in a Drizzle transaction is rolled back with it', async () => {
      const { engine, host } = await open()
      const db = drizzle({ client: connect(host.address) })
      const change = () =>
        db.transaction((tx) => {
          tx.insert(orderTable).values({ id: 'order-1' }).run()
          engine.enqueueTx(tx, JOB)
          throw new Error('the host has changed its mind')
        })
      expect(change).toThrow('changed its mind')
      expect(await orders(host)).toEqual([])
      expect((await engine.list()).total).toBe(0)
    })
  },
  [sqliteHandle],
)

describeHosts(
  'enqueueTx on a connection of the host',
  (open) => {
    it('enqueueTx is refused while another connection writes, and the transaction stays usable', async () => {
      const { engine, host } = await open()
      const [writer, begun] = [await host.begin(), await host.begin('DEFERRED')]
      const busy = refusal(() => engine.enqueueTx(begun.tx, JOB))
      expect([busy.code, busy.message]).toEqual(['BUSY', expect.stringContaining('Another connection is writing')])
      await writer.rollback()
      expect((await engine.enqueueTx(begun.tx, JOB)).status).toBe('pending')
      await begun.commit()
      expect((await engine.stats()).counts.pending).toBe(1)
    })

    it('enqueueTx is refused when another connection has written since the first read', async () => {
      const { engine, host } = await open()
      const begun = await host.begin('DEFERRED')
      await begun.sql('SELECT count(*) FROM orders')
      await add(engine)
      const busy = refusal(() => engine.enqueueTx(begun.tx, JOB))
      expect([busy.code, busy.message]).toEqual(['BUSY', expect.stringContaining('with BEGIN IMMEDIATE')])
      expect(await begun.sql('SELECT count(*) AS n FROM orders')).toEqual([{ n: 0 }])
      await begun.rollback()
    })

    it('enqueueTx ignores temporary tables with the names of the queue', async () => {
      const { engine, host } = await open()
      const client = connect(host.address)
      for (const table of [
        'millrace_jobs',
        'millrace_job_bodies',
        'millrace_job_types',
        'millrace_job_counts',
        'millrace_job_minutes',
      ]) {
        client.exec(`CREATE TEMP TABLE ${table} AS SELECT * FROM main.${table}`)
      }
      client.exec('BEGIN')
      const { id } = engine.enqueueTx(client, { ...JOB, dedupeKey: 'k' })
      client.exec('COMMIT')
      expect((await engine.get({ id })).payload).toBe(1)
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
    })

    it('enqueueTx works when the host reads integers as bigints', async () => {
      const { engine, host } = await open()
      await add(engine)
      const client = connect(host.address).defaultSafeIntegers(true)
      client.exec('BEGIN')
      const answer = engine.enqueueTx(client, JOB)
      engine.enqueueTx(client, { ...JOB, delayMs: 1_000 })
      client.exec('COMMIT')
      expect(answer.status).toBe('pending')
      expect((await engine.stats()).counts).toMatchObject({ pending: 2, scheduled: 1 })
    })

    it('enqueueTx recognises the database file through a symbolic link', async () => {
      const { engine, host } = await open()
      const link = join(await tempFolder(), 'link.db')
      symlinkSync(host.address, link)
      const linked = await openEngine({ url: `sqlite:${link}`, services: false, onWarning: () => {} })
      onTestFinished(() => linked.close())
      for (const [one, address] of [
        [engine, link],
        [linked, host.address],
      ] as const) {
        const client = connect(address)
        client.exec('BEGIN')
        one.enqueueTx(client, JOB)
        client.exec('COMMIT')
      }
      expect((await engine.stats()).counts.pending).toBe(2)
    })

    it('enqueueTx is refused while the host iterates over rows', async () => {
      const { engine, host } = await open()
      const client = connect(host.address)
      client.exec("INSERT INTO orders (id) VALUES ('a'), ('b')")
      client.exec('BEGIN')
      engine.enqueueTx(client, JOB)
      for (const _ of client.prepare('SELECT id FROM orders').iterate()) {
        expect(refusal(() => engine.enqueueTx(client, JOB)).message).toContain('busy')
      }
      client.exec('COMMIT')
      expect((await engine.stats()).counts.pending).toBe(1)
    })
  },
  [sqliteHandle],
)

it('enqueueTx refuses a transaction that began before the tables were created', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const client = connect(file)
  client.pragma('journal_mode = WAL')
  client.exec('CREATE TABLE orders (id TEXT); BEGIN')
  client.prepare('SELECT * FROM orders').all()
  const engine = await openEngine({ url: `sqlite:${file}`, services: false, onWarning: () => {} })
  onTestFinished(() => engine.close())
  const old = refusal(() => engine.enqueueTx(client, JOB))
  expect([old.code, old.message]).toEqual(['WRONG_STATE', expect.stringContaining('it began before they were created')])
  client.exec('COMMIT; BEGIN')
  expect(engine.enqueueTx(client, JOB).status).toBe('pending')
  client.exec('COMMIT')
})

it('enqueueTx refuses every connection when the queue is in memory', async () => {
  const engine = await openEngine({ url: 'sqlite::memory:', services: false })
  onTestFinished(() => engine.close())
  const client = connect(':memory:')
  client.exec('BEGIN')
  expect(refusal(() => engine.enqueueTx(client, JOB)).message).toContain('another database')
})

it('enqueueTx warns once when the connection of the host is less durable than the queue', async () => {
  const { engine, file, warnings } = await openFile()
  for (const synchronous of ['FULL', 'NORMAL', 'OFF']) {
    const client = connect(file)
    client.pragma(`synchronous = ${synchronous}`)
    client.exec('BEGIN')
    engine.enqueueTx(client, JOB)
    engine.enqueueTx(client, JOB)
    client.exec('COMMIT')
    expect(warnings).toHaveLength(synchronous === 'FULL' ? 0 : 1)
  }
  expect(warnings[0]).toContain('PRAGMA synchronous below FULL')
})

it('enqueueTx does not warn when the queue itself has a lower durability', async () => {
  const { engine, file, warnings } = await openFile({ durability: 'normal' })
  const client = connect(file)
  client.exec('BEGIN')
  engine.enqueueTx(client, JOB)
  client.exec('COMMIT')
  expect([warnings, (await engine.stats()).counts.pending]).toEqual([[], 1])
})

it('enqueueTx is refused with DISK_FULL when only the reserve for settles is left', async () => {
  const { engine, file } = await openFile({ maxDatabaseBytes: 2_000_000 })
  const fill = () => engine.enqueueMany({ jobs: new Array(10).fill({ type: 'mail', payload: 'x'.repeat(10_000) }) })
  const full = async (): Promise<unknown> => fill().then(full, (error: unknown) => error)
  expect(await full()).toMatchObject({ code: 'DISK_FULL' })
  const client = connect(file)
  client.exec('BEGIN')
  expect(refusal(() => engine.enqueueTx(client, JOB)).code).toBe('DISK_FULL')
  expect(client.inTransaction).toBe(true)
})

it('enqueueTx reports that a full disk has rolled back the transaction', async () => {
  const { engine, file } = await openFile()
  const client = connect(file)
  client.pragma(`max_page_count = ${Number(client.pragma('page_count', { simple: true })) + 5}`)
  client.exec('BEGIN')
  const full = refusal(() => engine.enqueueTx(client, { type: 'mail', payload: 'x'.repeat(100_000) }))
  expect(full.code).toBe('DISK_FULL')
  expect([client.inTransaction, full.message]).toEqual([false, expect.stringContaining('rolled back this transaction')])
  expect((await engine.list()).total).toBe(0)
})
