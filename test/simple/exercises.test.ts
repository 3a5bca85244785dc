/** Simple queue: the four exercises of its lesson, and further cases. */
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSimpleQueue, type SimpleQueue } from '../../server/sdk/simple/simple-queue.ts'
import { DAY, SECOND } from '../../shared/limits.ts'
import { refusal } from '../support/refusal.ts'
import { makeTempFolder } from '../support/temp.ts'
import { START, TestClock } from '../support/test-clock.ts'

interface App {
  readonly db: BetterSqlite.Database
  readonly file: string
  readonly clock: TestClock
  readonly queue: SimpleQueue
}

async function open(home: (app: Omit<App, 'queue'>) => Parameters<typeof openSimpleQueue>[0]): Promise<App> {
  const folder = await makeTempFolder()
  const file = join(folder.path, 'app.db')
  const db = new BetterSqlite(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE orders (id TEXT PRIMARY KEY)')
  const clock = new TestClock()
  const errors: unknown[] = []
  const callbacks = {
    onError: (error: unknown) => errors.push(error),
    onWarning: (message: string) => message.startsWith('Recovered ') || errors.push(message),
  }
  const queue = openSimpleQueue(home({ db, file, clock }), { clock, ...callbacks })
  onTestFinished(async () => {
    await queue.close()
    db.close()
    await folder.remove()
    expect([errors, clock.pendingTimers]).toEqual([[], 0])
  })
  return { db, file, clock, queue }
}

const HOMES = [
  ['the handle of an application', ({ db }) => db],
  ['its Drizzle database', ({ db }) => drizzle({ client: db })],
  ['a file', ({ file }) => file],
] satisfies [string, Parameters<typeof open>[0]][]

const statusesIn = ({ db }: App) =>
  db.prepare('SELECT status, count(*) FROM millrace_jobs GROUP BY 1 ORDER BY 1').raw().all()
const at = (ms: number) => new Date(START + ms).toISOString()

describe.each(HOMES)('the exercises on %s', (_, home) => {
  it('1: five jobs appear in the database as pending', async () => {
    const app = await open(home)
    const ids = [1, 2, 3, 4, 5].map((n) => app.queue.enqueue('send_email', { n }))
    expect(statusesIn(app)).toEqual([['pending', 5]])
    expect(ids.map((id) => app.queue.getJob(id))).toMatchObject(
      ids.map((id, index) => ({
        ...{ id, type: 'send_email', payload: `{"n":${index + 1}}`, status: 'pending', priority: 0 },
        ...{ attempts: 0, max_attempts: 5, last_error: null, completed_at: null, locked_by: null, locked_at: null },
        ...{ scheduled_at: at(0), created_at: at(0), updated_at: at(0) },
      })),
    )
  })

  it('2: dequeue returns the first pending job and marks it as processing', async () => {
    const app = await open(home)
    const [first] = [1, 2, 3].map((n) => app.queue.enqueue('send_email', { n }))
    await app.clock.advance(SECOND)
    const job = app.queue.dequeue('worker-1')
    expect(job).toMatchObject({
      id: first,
      status: 'processing',
      attempts: 0,
      locked_by: 'worker-1',
      locked_at: at(1_000),
    })
    expect(statusesIn(app)).toEqual([
      ['pending', 2],
      ['processing', 1],
    ])
  })

  it('3: a second dequeue returns the second job', async () => {
    const { queue } = await open(home)
    const ids = [1, 2].map((n) => queue.enqueue('send_email', { n }))
    expect([queue.dequeue('worker-1')?.id, queue.dequeue('worker-2')?.id]).toEqual(ids)
    expect(queue.dequeue('worker-3')).toBeNull()
  })

  it('4: completeJob and failJob leave the right statuses and attempts', async () => {
    const { queue, clock } = await open(home)
    const [good, bad] = [queue.enqueue('send_email'), queue.enqueue('send_email')]
    queue.dequeue('worker-1')
    queue.dequeue('worker-1')
    await clock.advance(SECOND)
    queue.completeJob(good)
    queue.failJob(bad, 'no answer')
    const settled = { locked_by: null, locked_at: null, updated_at: at(1_000) }
    expect(queue.getJob(good)).toMatchObject({ ...settled, status: 'completed', attempts: 0, completed_at: at(1_000) })
    expect(queue.getJob(bad)).toMatchObject({
      ...{ ...settled, status: 'pending', attempts: 1, last_error: 'no answer', completed_at: null },
      scheduled_at: at(31_000),
    })
  })
})

describe('the four functions', () => {
  const openHere = () => open(({ db }) => db)

  it('failJob retries after 30, 60, 90 and 120 s, then the job has failed', async () => {
    const { queue, clock } = await openHere()
    const id = queue.enqueue('send_email')
    for (const [index, seconds] of [30, 60, 90, 120].entries()) {
      expect(queue.dequeue('worker-1')).toMatchObject({ id, attempts: index })
      queue.failJob(id, `failure ${index + 1}`)
      await clock.advance(seconds * SECOND - 1)
      expect(queue.dequeue('worker-1')).toBeNull()
      await clock.advance(1)
    }
    expect(queue.dequeue('worker-1')).toMatchObject({ id, attempts: 4 })
    queue.failJob(id, 'failure 5')
    const failed = { status: 'failed', attempts: 5, max_attempts: 5, last_error: 'failure 5', completed_at: null }
    expect(queue.getJob(id)).toMatchObject(failed)
    await clock.advance(300 * SECOND)
    expect(queue.dequeue('worker-1')).toBeNull()
  })

  it('dequeue orders by priority, then by due time', async () => {
    const { queue, clock } = await openHere()
    const late = queue.enqueue('report', {}, { scheduledAt: at(2_000) })
    const plain = queue.enqueue('report')
    const urgent = queue.enqueue('payment', {}, { priority: 10 })
    const next = () => queue.dequeue('worker-1')?.id
    expect([next(), next(), next()]).toEqual([urgent, plain, undefined])
    await clock.advance(2_000)
    expect(next()).toBe(late)
  })

  it.each([
    ['2026-05-17T09:31:05Z', 60_000],
    ['2026-05-17 09:31:05', 60_000],
    ['2026-05-17T09:31:05.250', 60_250],
    ['2026-05-17T11:31:05+02:00', 60_000],
    ['2026-05-18', DAY - (START % DAY)],
  ])('enqueue accepts %s as scheduledAt', async (scheduledAt, inMs) => {
    const { queue } = await openHere()
    expect(queue.getJob(queue.enqueue('report', {}, { scheduledAt }))).toMatchObject({ scheduled_at: at(inMs) })
  })

  it('enqueue refuses invalid input', async () => {
    const { queue } = await openHere()
    expect(refusal(() => queue.enqueue('report', {}, { scheduledAt: 'soon' })).message).toMatch(
      /soon is not a valid time/,
    )
    expect(refusal(() => queue.enqueue('')).code).toBe('BAD_INPUT')
    expect(refusal(() => queue.dequeue('')).message).toMatch(/worker/)
    expect(queue.getJob('018f6f0e-0000-7000-8000-000000000001')).toBeNull()
  })

  it('only the process that holds the claim can settle a job', async () => {
    const { queue, clock, file } = await openHere()
    const other = openSimpleQueue(file, { clock })
    const id = queue.enqueue('report')
    expect(refusal(() => queue.completeJob(id))).toMatchObject({
      code: 'WRONG_STATE',
      message: expect.stringMatching(/not dequeued by this/),
    })
    queue.dequeue('worker-1')
    expect(refusal(() => other.completeJob(id)).code).toBe('WRONG_STATE')
    await clock.advance(30 * 60 * SECOND)
    expect(other.dequeue('worker-2')).toMatchObject({ id, last_error: 'Task timeout - worker may have crashed' })
    expect(refusal(() => queue.completeJob(id)).code).toBe('STALE_CLAIM')
    expect(refusal(() => queue.failJob(id, 'late')).code).toBe('STALE_CLAIM')
    other.completeJob(id)
    expect(queue.getJob(id)).toMatchObject({ status: 'completed' })
    await other.close()
  }, 60_000)

  it('repeating the same outcome is allowed, another outcome is not', async () => {
    const { queue } = await openHere()
    const id = queue.enqueue('report')
    queue.dequeue('worker-1')
    queue.completeJob(id)
    queue.completeJob(id)
    expect(refusal(() => queue.failJob(id, 'after all')).code).toBe('STALE_CLAIM')
    expect(queue.getJob(id)).toMatchObject({ status: 'completed', attempts: 0, last_error: null })
  })

  it('a completed job keeps the error of its last failed attempt', async () => {
    const { queue, clock } = await openHere()
    const id = queue.enqueue('report')
    queue.dequeue('worker-1')
    queue.failJob(id, 'no answer')
    await clock.advance(30 * SECOND)
    queue.dequeue('worker-1')
    queue.completeJob(id)
    expect(queue.getJob(id)).toMatchObject({ status: 'completed', attempts: 1, last_error: 'no answer' })
  })

  it('dequeue and getJob also return jobs of other producers', async () => {
    const { queue, db, file } = await openHere()
    const id = queue.enqueue('report')
    db.exec('UPDATE millrace_jobs SET max_attempts = NULL, backoff = NULL')
    expect(queue.getJob(id)).toMatchObject({ max_attempts: 3 })
    expect(file).toMatch(/app\.db$/)
  })
})

describe('inside a transaction of the application', () => {
  it('enqueue commits or rolls back with it', async () => {
    const { queue, db } = await open(({ db }) => db)
    const order = (id: string, isSoldOut: boolean) =>
      db.transaction(() => {
        db.prepare('INSERT INTO orders VALUES (?)').run(id)
        queue.enqueue('confirm', { id })
        if (isSoldOut) throw new Error('sold out')
      })()
    order('a', false)
    expect(() => order('b', true)).toThrow('sold out')
    expect(queue.dequeue('worker-1')).toMatchObject({ payload: '{"id":"a"}' })
    expect(queue.dequeue('worker-1')).toBeNull()
  })

  it('dequeue, completeJob and failJob refuse to run inside a transaction', async () => {
    const { queue, db } = await open(({ db }) => db)
    const id = queue.enqueue('confirm')
    const inTransaction = (call: () => unknown) => refusal(() => db.transaction(call)())
    const cannot = { code: 'WRONG_STATE', message: expect.stringMatching(/cannot run inside a transaction/) }
    expect(inTransaction(() => queue.dequeue('worker-1'))).toMatchObject(cannot)
    queue.dequeue('worker-1')
    expect(inTransaction(() => queue.completeJob(id))).toMatchObject(cannot)
    expect(inTransaction(() => queue.failJob(id, 'x'))).toMatchObject(cannot)
    queue.completeJob(id)
    expect(queue.getJob(id)).toMatchObject({ status: 'completed' })
  })
})
