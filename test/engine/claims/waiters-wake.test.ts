/** Waking of waiting claims by everything that makes a job claimable. */
import { expect, it } from 'vitest'
import { CRASH_ERROR } from '../../../shared/job-errors.ts'
import { add, addMany, describeEngine, held, ids, inLine, started, take } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('waking a waiting claim', (open) => {
  it('a waiting claim joins the commit that inserts its job', async () => {
    const { engine, store } = await open()
    const { claim } = await inLine(engine)
    store.reset()
    const id = await add(engine)
    expect(await claim).toEqual([id])
    expect(store.committed.map((ops) => ops.map(({ kind }) => kind))).toEqual([['claim', 'enqueue']])
  })

  it('one commit serves as many waiting claims as it has jobs', async () => {
    const { engine, store } = await open()
    const claims = Promise.all(Array.from({ length: 20 }, (_, n) => engine.claim({ worker: `w${n}`, waitMs: 30_000 })))
    await settle()
    store.reset()
    const jobs = await addMany(engine, 20)
    expect((await claims).flatMap(ids)).toEqual(jobs)
    expect(store.committed).toHaveLength(1)
  })

  it('a waiting claim is woken when a scheduled job becomes due', async () => {
    const { engine, clock } = await started(open())
    const { claim } = await inLine(engine)
    const id = await add(engine, { delayMs: 7_000 })
    await clock.advance(6_999)
    expect(engine.load.waitingClaims).toBe(1)
    await clock.advance(1)
    expect(await claim).toEqual([id])
  })

  it('a waiting claim is woken for a job that was scheduled before, even without services', async () => {
    const { engine, clock } = await open()
    const id = await add(engine, { delayMs: 7_000 })
    const { claim } = await inLine(engine)
    await clock.advance(7_000)
    expect(await claim).toEqual([id])
  })

  it('a waiting claim is woken when a settled job frees a slot', async () => {
    const { engine } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 1 } }] })
    const job = await held(engine)
    const next = await add(engine)
    const { claim } = await inLine(engine)
    await engine.complete({ id: job.id, version: job.version })
    expect(await claim).toEqual([next])
  })

  it('a waiting claim is woken by a release', async () => {
    const { engine } = await open()
    const job = await held(engine)
    const { claim } = await inLine(engine)
    await engine.release({ id: job.id, version: job.version })
    expect(await claim).toEqual([job.id])
  })

  it('a waiting claim is woken by a retry without delay and by one with a delay', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine)
    const first = await inLine(engine)
    await engine.fail({ id: job.id, version: job.version, error: 'no route', retryInMs: 0 })
    expect(await first.claim).toEqual([job.id])
    const second = await inLine(engine)
    await engine.fail({ id: job.id, version: job.version + 1, error: 'no route', retryInMs: 4_000 })
    await clock.advance(4_000)
    expect(await second.claim).toEqual([job.id])
  })

  it('a waiting claim is woken by a rescue', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine, {}, { leaseMs: 5_000 })
    const { claim } = await inLine(engine)
    await clock.advance(5_000)
    expect(await claim).toEqual([job.id])
    expect((await engine.get({ id: job.id })).error).toBe(CRASH_ERROR)
  })

  it('a waiting claim is woken by runNow and by retry', async () => {
    const { engine } = await open()
    const later = await add(engine, { delayMs: 3_600_000 })
    const dead = await held(engine, { type: 'call' })
    await engine.fail({ id: dead.id, version: dead.version, error: 'busy', retry: false })
    const first = await inLine(engine)
    const second = await inLine(engine)
    await engine.runNow({ id: later })
    await engine.retry({ id: dead.id })
    expect([await first.claim, await second.claim]).toEqual([[later], [dead.id]])
  })

  it('a waiting claim is woken when its type or the queue is resumed', async () => {
    const { engine } = await open()
    const id = await add(engine)
    await engine.pauseType({ name: 'mail' })
    const first = await inLine(engine)
    await engine.resumeType({ name: 'mail' })
    expect(await first.claim).toEqual([id])
    await engine.pause()
    const other = await add(engine)
    const second = await inLine(engine)
    await engine.resume()
    expect(await second.claim).toEqual([other])
  })

  it('a waiting claim is woken when the limits of its type are raised', async () => {
    const { engine } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 1, rate: 0.001, burst: 1 } }] })
    await held(engine)
    const next = await add(engine)
    const { claim } = await inLine(engine)
    await engine.updateType({ name: 'mail', set: { maxConcurrency: 2 } })
    await settle()
    expect(engine.load.waitingClaims).toBe(1)
    await engine.updateType({ name: 'mail', set: { rate: null } })
    expect(await claim).toEqual([next])
  })

  it('a waiting claim is woken when the rate limit of the queue is removed', async () => {
    const { engine } = await open()
    await engine.updateSettings({ set: { rate: 0.001, burst: 1 } })
    await held(engine)
    const next = await add(engine, { type: 'call' })
    const { claim } = await inLine(engine)
    await engine.updateSettings({ clear: ['rate', 'burst'] })
    expect(await claim).toEqual([next])
  })

  it('a waiting claim is woken when the drain of its worker is withdrawn', async () => {
    const { engine } = await open()
    await held(engine, {}, { worker: 'waiter' })
    await engine.drainWorker({ worker: 'waiter' })
    const next = await add(engine)
    const { claim } = await inLine(engine)
    await engine.drainWorker({ worker: 'waiter', drain: false })
    expect(await claim).toEqual([next])
  })

  it('a released job keeps its place before newer jobs', async () => {
    const { engine } = await open()
    const [first, second] = await addMany(engine, 2)
    const job = await take(engine)
    await engine.release({ id: job.id, version: job.version })
    expect([(await take(engine)).id, (await take(engine)).id]).toEqual([first, second])
  })
})
