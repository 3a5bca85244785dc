/** Workers of a `tq`: automatic start, settings of their types, stop. */
import { describe, expect, it } from 'vitest'
import { createTq } from '../../server/sdk/tq/tq.ts'
import { RetryLater } from '../../server/worker/jobs/handler-errors.ts'
import { SECOND } from '../../shared/limits.ts'
import { refusal } from '../support/refusal.ts'
import { gated } from '../support/worker.ts'
import { hostTq } from './host-app.ts'

describe('a worker of tq', () => {
  it('a handler receives payload and context, and its return value is stored', async () => {
    const { tq, db, clock } = await hostTq()
    const seen: unknown[] = []
    tq<{ to: string }>('mail')
      .add({ to: 'a' })
      .setWorker((payload, job) => {
        seen.push(payload, job)
        return { sent: payload.to }
      })
    await clock.advance(0)
    const job = { type: 'mail', payload: { to: 'a' }, version: 1, attempt: 1, maxAttempts: 3 }
    expect(seen).toMatchObject([{ to: 'a' }, job])
    expect(db.prepare('SELECT result FROM millrace_job_results').pluck().get()).toBe('{"sent":"a"}')
    expect(tq.stats()).toEqual({
      ...{ 'to-do': 0, 'in-progress': 0, success: 1, failed: 0 },
      byType: { mail: { 'to-do': 0, 'in-progress': 0, success: 1, failed: 0 } },
    })
  })

  it('retries follow the table of the specification, up to setMaxAttempts', async () => {
    const { tq, clock } = await hostTq()
    const tries: number[] = []
    tq('crawl')
      .setWorker(() => {
        tries.push(clock.now() / SECOND)
        throw new Error('down')
      })
      .setMaxAttempts(3)
      .add({})
    for (const spanMs of [0, 12 * SECOND, 48 * SECOND]) {
      await clock.advance(spanMs)
      expect(tq.stats()).toMatchObject({ failed: 1, 'to-do': 0 })
    }
    await clock.advance(60 * SECOND)
    const [first = 0, second = 0, third = 0, ...more] = tries
    expect([second - first, third - second].map((wait, n) => Math.abs(wait / (10 * 4 ** n) - 1) <= 0.2)).toEqual([
      true,
      true,
    ])
    expect(more).toEqual([])
  })

  it('three attempts by default; outcome errors of the handler apply', async () => {
    const { tq, clock } = await hostTq()
    let tries = 0
    tq('crawl')
      .setWorker(() => {
        tries += 1
        throw new RetryLater(SECOND)
      })
      .add({})
    await clock.advance(10 * SECOND)
    expect(tries).toBe(3)
    expect(tq.stats()).toMatchObject({ failed: 1 })
  })

  it('setWorkerCount sets the concurrency of a type; default ten', async () => {
    const { tq, clock } = await hostTq()
    const [few, many] = [gated(null), gated(null)]
    tq('few').setWorker(few.handler).setWorkerCount(2)
    tq('many').setWorker(many.handler)
    for (let n = 0; n < 12; n++) {
      tq('few').add(n)
      tq('many').add(n)
    }
    await clock.advance(0)
    expect([few.waiting, many.waiting]).toEqual([2, 10])
    expect(tq.stats().byType).toMatchObject({ few: { 'in-progress': 2 }, many: { 'in-progress': 10 } })
  })

  it('batchSize sets the default concurrency', async () => {
    const { tq, clock } = await hostTq({ batchSize: 3 })
    const gate = gated(null)
    tq('mail').setWorker(gate.handler)
    for (let n = 0; n < 5; n++) tq('mail').add(n)
    await clock.advance(0)
    expect(gate.waiting).toBe(3)
  })

  it('workers report their slots and the version of the application', async () => {
    const { tq, clock, count } = await hostTq({ version: 'shop 2.14.0' })
    tq('few')
      .setWorker(() => null)
      .setWorkerCount(2)
    tq('many').setWorker(() => null)
    await clock.advance(0)
    const workers = (type: string, slots: number) =>
      count(`millrace_workers WHERE types = '["${type}"]' AND slots = ${slots} AND version = 'shop 2.14.0'`)
    expect([workers('few', 2), workers('many', 10)]).toEqual([1, 1])
  })

  it('concurrency never exceeds the limit while it changes', async () => {
    const { tq, clock } = await hostTq()
    const gate = gated(null)
    tq('mail').setWorker(gate.handler).setWorkerCount(3)
    for (let n = 0; n < 9; n++) tq('mail').add(n)
    await clock.advance(0)
    tq('mail').setWorkerCount(2)
    await clock.advance(0)
    expect(gate.waiting).toBe(3)
    for (let n = 0; n < 3; n++) {
      gate.open()
      await clock.advance(0)
    }
    expect(gate.waiting).toBe(2)
    tq('mail').setWorkerCount(5)
    // The worker is replaced after this turn; until then it may claim once more.
    await clock.advance(0)
    for (let n = 0; n < 2; n++) {
      gate.open()
      await clock.advance(0)
    }
    expect([gate.waiting, gate.most]).toEqual([4, 4])
  })

  it('setRateLimit applies from the first job on', async () => {
    const { tq, clock } = await hostTq()
    let ran = 0
    for (let n = 0; n < 9; n++) tq('mail').add(n)
    tq('mail')
      .setWorker(() => {
        ran += 1
      })
      .setRateLimit(2)
    const seen: number[] = []
    for (let second = 0; second < 4; second++) {
      await clock.advance(0)
      seen.push(ran)
      await clock.advance(SECOND)
    }
    expect(seen).toEqual([2, 4, 6, 8])
  })

  it('an attempt times out after taskTimeout or setTimeout', async () => {
    const { tq, db, clock } = await hostTq({ taskTimeout: 20 })
    const ended: string[] = []
    const wait = (payload: unknown, job: { readonly signal: AbortSignal }) =>
      new Promise((_, reject) => {
        job.signal.addEventListener('abort', () => {
          ended.push(`${payload} after ${(clock.now() - begin) / SECOND} s`)
          reject(job.signal.reason)
        })
      })
    const begin = clock.now()
    tq('short').setWorker(wait).setTimeout(5).setMaxAttempts(1).add('short')
    tq('long').setWorker(wait).setMaxAttempts(1).add('long')
    await clock.advance(20 * SECOND)
    expect(ended).toEqual(['short after 4.5 s', 'long after 19 s'])
    expect(db.prepare('SELECT error FROM millrace_jobs ORDER BY seq').pluck().all()).toEqual([
      'Timed out after 5 s',
      'Timed out after 20 s',
    ])
  })

  it('settings are declared to the queue and apply to all its workers', async () => {
    const { tq, db, clock } = await hostTq()
    tq('crawl').setRateLimit(10).setTimeout(60).setMaxAttempts(5)
    tq('mail').setWorker(() => null)
    await clock.advance(0)
    const declared = () => db.prepare('SELECT name, declared FROM millrace_job_types ORDER BY name').raw().all()
    expect(declared()).toEqual([
      ['crawl', JSON.stringify({ rate: 10, maxAttempts: 5, timeoutMs: 60_000 })],
      ['mail', JSON.stringify({ timeoutMs: 300_000 })],
    ])
    tq('crawl').setMaxAttempts(2)
    await clock.advance(0)
    expect(declared()[0]).toEqual(['crawl', JSON.stringify({ rate: 10, maxAttempts: 2, timeoutMs: 60_000 })])
  })

  it('a new handler applies from the next job on', async () => {
    const { tq, clock } = await hostTq()
    const ran: string[] = []
    tq('mail')
      .setWorker(() => ran.push('old'))
      .add(1)
    await clock.advance(0)
    tq('mail')
      .setWorker(() => ran.push('new'))
      .add(2)
    await clock.advance(0)
    expect(ran).toEqual(['old', 'new'])
  })

  it('a paused worker claims nothing until resume', async () => {
    const { tq, clock } = await hostTq()
    const ran: unknown[] = []
    tq('mail').setWorker((payload) => ran.push(payload))
    await clock.advance(0)
    tq.pause()
    tq('mail').add(1)
    tq('call')
      .setWorker((payload) => ran.push(payload))
      .add(2)
    await clock.advance(60 * SECOND)
    expect(ran).toEqual([])
    tq.resume()
    await clock.advance(0)
    expect(ran).toEqual([1, 2])
  })

  it.each([
    ['setWorkerCount', 0],
    ['setWorkerCount', 1.5],
    ['setRateLimit', 0],
    ['setTimeout', 0.5],
    ['setMaxAttempts', 0],
  ] as const)('refuses %s(%d)', async (verb, value) => {
    const { tq } = await hostTq()
    const error = refusal(() => tq('mail')[verb](value))
    expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining(verb)])
  })

  it.each([{ pollInterval: 0 }, { batchSize: 0 }, { taskTimeout: Number.NaN }, { version: '' }])(
    'refuses %o',
    async (options) => {
      const app = await hostTq()
      const error = refusal(() => createTq({ db: app.db, ...options }))
      expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining(Object.keys(options)[0] ?? '')])
    },
  )
})
