/** Start and stop of a `tq`. */
import BetterSqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createTq, newTq } from '../../server/sdk/tq/tq.ts'
import { refusal } from '../support/refusal.ts'
import { gated } from '../support/worker.ts'
import { endWithTest, hostApp, hostTq } from './host-app.ts'

describe('tq', () => {
  it('tq accepts workers before init and starts them then', async () => {
    const app = await hostApp()
    const tq = newTq()
    const ran: unknown[] = []
    tq<number>('mail')
      .setWorker((payload) => ran.push(payload))
      .setWorkerCount(1)
    const begun = tq.init({ db: app.db, ...app.callbacks })
    endWithTest(tq, app.clock)
    begun('mail').add(1)
    tq('mail').add(2)
    await app.clock.advance(0)
    expect(ran).toEqual([1, 2])
    expect([tq.stats(), begun.stats().success]).toMatchObject([{ success: 2 }, 2])
  })

  it('tq throws when it is used before init', async () => {
    const tq = newTq()
    const notBegun = { code: 'WRONG_STATE', message: expect.stringContaining('tq.init') }
    expect(refusal(() => tq('mail').add(1))).toMatchObject(notBegun)
    expect(refusal(() => tq.stats())).toMatchObject(notBegun)
    await expect(tq.flush()).rejects.toMatchObject(notBegun)
    tq.pause()
    await tq.stop()
  })

  it('tq refuses invalid options and handlers', () => {
    const tq = newTq()
    const given = (method: (...args: never[]) => unknown, arg: unknown) => () =>
      Reflect.apply(method, tq('mail'), [arg])
    expect(refusal(given(tq.init, {}))).toMatchObject({ code: 'BAD_INPUT', message: expect.stringMatching(/db.*url/) })
    expect(refusal(given(tq('mail').setWorker, 'send'))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/a function/),
    })
  })

  it('tq stops after the shortest grace', async () => {
    const { tq, clock } = await hostTq()
    const gate = gated('late')
    tq('mail').setWorker(gate.handler)
    tq('mail').add(1)
    await clock.advance(0)
    const stopping = tq.stop({ graceMs: 60_000 })
    await clock.advance(1_000)
    expect(tq.stats()['in-progress']).toBe(1)
    const again = tq.stop({ graceMs: 0 })
    await clock.advance(0)
    await Promise.all([stopping, again])
    gate.open()
  })

  it('tq refuses a second init while it runs', async () => {
    const app = await hostApp()
    const tq = newTq()
    tq.init({ db: app.db, ...app.callbacks })
    endWithTest(tq, app.clock)
    expect(refusal(() => tq.init({ db: app.db }))).toMatchObject({
      code: 'WRONG_STATE',
      message: expect.stringMatching(/stop it first/),
    })
  })

  it('tq adds nothing after stop, and can be started again with the same workers', async () => {
    const app = await hostApp()
    const tq = newTq()
    const ran: unknown[] = []
    tq('mail').setWorker((payload) => ran.push(payload))
    tq.init({ db: app.db, ...app.callbacks })
    await tq.stop()
    await tq.stop()
    expect(refusal(() => tq('mail').add(1))).toMatchObject({
      code: 'CLOSED',
      message: expect.stringMatching(/the job was not stored/),
    })
    expect(refusal(() => tq.stats()).code).toBe('CLOSED')
    expect(app.count('millrace_jobs')).toBe(0)
    tq.init({ db: app.db, ...app.callbacks })
    endWithTest(tq, app.clock)
    tq('mail').add(2)
    await app.clock.advance(0)
    expect(ran).toEqual([2])
  })

  it('stop lets handlers finish and stores the jobs they add', async () => {
    const { tq, clock, count } = await hostTq()
    const gate = gated(null)
    tq('mail')
      .setWorker(async () => {
        await gate.handler()
        tq('receipt').add({})
      })
      .add(1)
      .add(2)
      .setWorkerCount(1)
    await clock.advance(0)
    const stopping = tq.stop()
    await clock.advance(0)
    gate.open()
    await stopping
    expect(count(`millrace_jobs WHERE type = 'mail' AND status = 'completed'`)).toBe(1)
    expect(count(`millrace_jobs WHERE type = 'mail' AND status = 'pending' AND attempts = 0`)).toBe(1)
    expect(count(`millrace_jobs WHERE type = 'receipt' AND status = 'pending'`)).toBe(1)
  })

  it('stop releases jobs that do not finish within the grace', async () => {
    const { tq, clock, count } = await hostTq()
    tq('mail')
      .setWorker(() => new Promise(() => {}))
      .add(1)
    await clock.advance(0)
    const stopping = tq.stop({ graceMs: 1_000 })
    await clock.advance(999)
    expect(count(`millrace_jobs WHERE status = 'processing'`)).toBe(1)
    await clock.advance(1)
    await stopping
    expect(count(`millrace_jobs WHERE status = 'pending' AND attempts = 0`)).toBe(1)
  })

  it('two queues are independent', async () => {
    const [one, two] = [await hostTq(), await hostTq()]
    one.tq('mail').add(1)
    expect([one.tq.stats()['to-do'], two.tq.stats()['to-do']]).toEqual([1, 0])
  })
})

describe('a database that tq cannot use', () => {
  const memory = new BetterSqlite(':memory:')

  it.each([
    ['in memory', memory, /in memory.*sqlite::memory:/s],
    ['in memory, inside Drizzle', drizzle({ client: memory }), /in memory/],
    ['that goes with its connection', new BetterSqlite(''), /in memory/],
  ])('tq refuses a database %s', (_, db, words) => {
    expect(refusal(() => createTq({ db }))).toMatchObject({ code: 'BAD_INPUT', message: words })
  })

  it('tq refuses a database in the middle of a transaction', async () => {
    const app = await hostApp()
    app.db.exec('BEGIN')
    expect(refusal(() => createTq({ db: app.db }))).toMatchObject({
      code: 'WRONG_STATE',
      message: expect.stringMatching(/transaction/),
    })
    app.db.exec('ROLLBACK')
  })

  it('tq refuses a database with a table of the same name', async () => {
    const app = await hostApp()
    app.db.exec('CREATE TABLE millrace_jobs (id TEXT PRIMARY KEY)')
    const message = expect.stringMatching(
      /already has a table millrace_jobs that does not belong to the queue.*another file/,
    )
    expect(refusal(() => createTq({ db: app.db }))).toMatchObject({ code: 'WRONG_STATE', message })
    expect(app.count(`sqlite_schema WHERE type = 'table' AND name LIKE 'millrace%'`)).toBe(1)
  })

  it('tq accepts a database with violated foreign keys', async () => {
    const app = await hostApp()
    app.db.exec(`PRAGMA foreign_keys = OFF; CREATE TABLE items (of TEXT REFERENCES orders);
      INSERT INTO items VALUES ('no such order')`)
    const tq = createTq({ db: app.db, ...app.callbacks })
    endWithTest(tq, app.clock)
    tq('mail').add(1)
    expect(app.count('millrace_jobs')).toBe(1)
  })

  it('tq refuses a path instead of a database', () => {
    // @ts-expect-error a path is no database
    expect(refusal(() => createTq({ db: './app.db' }))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/better-sqlite3/),
    })
  })
})
