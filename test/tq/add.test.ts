/** `add` on the database of an application: commit, options, transactions. */
import { Worker } from 'node:worker_threads'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createTq } from '../../server/sdk/tq/tq.ts'
import { SECOND } from '../../shared/limits.ts'
import { until } from '../support/engine.ts'
import { refusal } from '../support/refusal.ts'
import { START } from '../support/test-clock.ts'
import { endWithTest, hostApp, hostTq } from './host-app.ts'

describe('add on the database of an application', () => {
  it('add has committed when it returns', async () => {
    const { tq, count } = await hostTq()
    tq('crawl').add({ url: 'a' })
    expect(count(`millrace_jobs WHERE type = 'crawl' AND status = 'pending' AND face = 'tq'`)).toBe(1)
    tq('crawl').add({ url: 'b' }).add({ url: 'c' })
    expect(count('millrace_jobs')).toBe(3)
  })

  it('add does not touch the tables of the application and works during its reads', async () => {
    const { tq, db, count } = await hostTq()
    db.exec(`INSERT INTO orders VALUES ('a'), ('b')`)
    for (const { id } of db.prepare<[], { id: string }>('SELECT id FROM orders').iterate()) tq('mail').add({ id })
    expect([count('orders'), count('millrace_jobs')]).toEqual([2, 2])
  })

  it('add stores the payload as it is at the call', async () => {
    const { tq, db } = await hostTq()
    const payload = { to: ['a'] }
    tq('mail').add(payload)
    payload.to.push('b')
    expect(db.prepare('SELECT payload FROM millrace_job_bodies').pluck().get()).toBe('{"to":["a"]}')
  })

  it('add waits for another process that is writing', async () => {
    const { tq, file, count } = await hostTq()
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const writer = new Worker(WRITER, { eval: true, workerData: { file, flag } })
    const ended = new Promise((resolve) => writer.once('exit', resolve))
    await new Promise((resolve) => writer.once('message', resolve))
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
    tq('mail').add({})
    expect([count('orders'), count('millrace_jobs')]).toEqual([1, 1])
    await ended
  })

  it('setGroup limits jobs per key, and add computes the key or takes the option group', async () => {
    const { tq, db } = await hostTq()
    const sync = tq<{ tenant?: number }>('sync').setGroup({ key: ({ tenant }) => tenant, concurrency: 1 })
    sync.add({ tenant: 7 }).add({ tenant: 7 }).add({}).add({ tenant: 7 }, { group: 'other' })
    expect(db.prepare('SELECT group_name, group_key FROM millrace_jobs ORDER BY seq').raw().all()).toEqual([
      ...[
        ['sync', '7'],
        ['sync', '7'],
        [null, null],
      ],
      ['sync', 'other'],
    ])
    await tq.flush()
    const queue = await tq.queue()
    await until(async () => (await queue.types()).some(({ declared }) => declared.group?.concurrency === 1))
    expect((await queue.type({ name: 'sync' })).declared.group).toEqual({ concurrency: 1 })
    expect(() => tq('sync').setGroup({ key: 'tenant' })).toThrow('setGroup.key: must be a JSON pointer')
    expect(() =>
      tq('sync')
        .setGroup({ key: () => JSON.parse('[]') })
        .add({}),
    ).toThrow('The group key of sync must be')
  })

  it('add takes the options of the specification and of the queue', async () => {
    const { tq, db } = await hostTq()
    const at = START / SECOND + 90.5
    tq('mail')
      .add(1, { run_after: new Date(START + 1_000) })
      .add(2, { run_after: at })
      .add(3, { delayMs: 5_000, priority: 7, maxAttempts: 2, timeoutMs: 9_000 })
      .add(4, { dedupeKey: 'k' })
      .add(5, { dedupeKey: 'k' })
      .add(6, { run_after: new Date(START - 1_000) })
    const rows = db
      .prepare<[], { runAt: number }>(
        'SELECT status, run_at AS runAt, priority, max_attempts, timeout_ms, dedupe_key FROM millrace_jobs ORDER BY seq',
      )
      .all()
    const plain = { priority: 0, max_attempts: null, timeout_ms: null, dedupe_key: null }
    expect(rows.map(({ runAt, ...row }) => ({ ...row, inMs: runAt - START }))).toEqual([
      { ...plain, status: 'scheduled', inMs: 1_000 },
      { ...plain, status: 'scheduled', inMs: 90_500 },
      { status: 'scheduled', inMs: 5_000, priority: 7, max_attempts: 2, timeout_ms: 9_000, dedupe_key: null },
      { ...plain, status: 'pending', inMs: 0, dedupe_key: 'k' },
      { ...plain, status: 'pending', inMs: 0 },
    ])
  })

  it.each([
    ['milliseconds for seconds', { run_after: START }, /looks like milliseconds/],
    ['no date', { run_after: new Date('soon') }, /run_after is not a date/],
    ['two times', { run_after: 1, runAt: 1 }, /run_after and runAt are both set/],
    ['two other times', { run_after: 1, delayMs: 1 }, /delayMs or runAt/],
    ['a priority out of bounds', { priority: 0.5 }, /priority/],
  ])('add refuses %s at once', async (_, options, words) => {
    const { tq, count } = await hostTq()
    const error = refusal(() => tq('mail').add({}, options))
    expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringMatching(words)])
    expect(count('millrace_jobs')).toBe(0)
  })

  it('add refuses payloads that are not JSON, and empty type names', async () => {
    const { tq, count } = await hostTq()
    expect(refusal(() => tq('mail').add(1n)).code).toBe('BAD_INPUT')
    expect(refusal(() => tq('mail').add('x'.repeat(1_048_576))).code).toBe('TOO_LARGE')
    expect(refusal(() => tq('')).code).toBe('BAD_INPUT')
    expect(count('millrace_jobs')).toBe(0)
  })
})

describe('add inside a transaction of the application', () => {
  it('add commits with a better-sqlite3 transaction', async () => {
    const { tq, db, count } = await hostTq()
    const order = db.transaction((id: string) => {
      db.prepare('INSERT INTO orders VALUES (?)').run(id)
      tq('confirm').add({ id })
      expect(count('millrace_jobs')).toBe(0)
    })
    order('a')
    expect([count('orders'), count('millrace_jobs')]).toEqual([1, 1])
  })

  it('add rolls back with a better-sqlite3 transaction', async () => {
    const { tq, db, count } = await hostTq()
    const order = db.transaction(() => {
      db.exec(`INSERT INTO orders VALUES ('a')`)
      tq('confirm').add({})
      throw new Error('sold out')
    })
    expect(order).toThrow('sold out')
    expect([count('orders'), count('millrace_jobs'), count('millrace_job_counts WHERE n > 0')]).toEqual([0, 0, 0])
  })

  it('add commits or rolls back with a Drizzle transaction, given the Drizzle database', async () => {
    const app = await hostApp()
    const tq = createTq({ db: app.drizzleDb, ...app.callbacks })
    endWithTest(tq, app.clock)
    const order = (id: string, isSoldOut: boolean) =>
      app.drizzleDb.transaction((tx) => {
        tx.run(sql`INSERT INTO orders VALUES (${id})`)
        tq('confirm').add({ id })
        if (isSoldOut) tx.rollback()
      })
    order('a', false)
    expect(() => order('b', true)).toThrow()
    expect([app.count('orders'), app.count('millrace_jobs')]).toEqual([1, 1])
    tq('confirm').add({ id: 'c' })
    expect(app.count('millrace_jobs')).toBe(2)
  })

  it('a waiting worker runs the job after the commit', async () => {
    const { tq, db, clock } = await hostTq()
    const ran: unknown[] = []
    tq<string>('confirm').setWorker((payload) => ran.push(payload))
    await clock.advance(0)
    db.transaction(() => {
      tq('confirm').add('a')
    })()
    await clock.advance(5)
    expect(ran).toEqual(['a'])
  })

  it('warns once that the job is only as durable as the connection of the application', async () => {
    const { tq, db, warnings } = await hostTq()
    db.pragma('synchronous = NORMAL')
    tq('confirm').add({})
    expect(warnings).toEqual([])
    for (const id of ['a', 'b']) db.transaction(() => tq('confirm').add(id))()
    expect(warnings.splice(0)).toEqual([expect.stringContaining('synchronous')])
  })
})

/** Another process that holds a write transaction for a while. */
const WRITER = `
const { parentPort, workerData } = require('node:worker_threads')
const db = new (require('better-sqlite3'))(workerData.file)
db.exec("BEGIN IMMEDIATE; INSERT INTO orders VALUES ('a')")
parentPort.postMessage('writing')
Atomics.wait(workerData.flag, 0, 0)
Atomics.wait(workerData.flag, 0, 1, 200)
db.exec('COMMIT')
`
