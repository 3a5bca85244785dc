/** Outages of the database: a batch waits and is stored once, or is refused; a failed store ends the engine. */
import { expect, it } from 'vitest'
import { StoreBusy, StoreFailed } from '../../../server/store/store.ts'
import { ERRORS } from '../../../shared/errors.ts'
import { HOUR } from '../../../shared/limits.ts'
import { add, describeEngine, held, refused, started } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

const busy = () => new StoreBusy('another process is writing')
const broken = () => new StoreFailed('disk I/O error')

describeEngine('store outage', (open) => {
  it('a batch waits while the database is busy and is stored once', async () => {
    const { engine, store, clock } = await open()
    store.fault = busy
    const calls = Promise.all([add(engine), add(engine), add(engine)])
    await clock.advance(1_000)
    expect(store.tried.length).toBeGreaterThan(10)
    expect(engine.load.queuedWrites).toBe(3)
    store.fault = null
    await clock.advance(50)
    expect(new Set(await calls).size).toBe(3)
    expect(store.committed.map((ops) => ops.length)).toEqual([3])
    expect((await engine.stats()).counts.pending).toBe(3)
  })

  it('queued writes keep their order during an outage, even over several commits', async () => {
    const { engine, store, clock } = await open()
    store.fault = busy
    const calls = Array.from({ length: 700 }, (_, n) => add(engine, { payload: n }))
    await clock.advance(20)
    calls.push(add(engine, { payload: 700 }))
    await clock.advance(20)
    store.fault = null
    await clock.advance(50)
    await Promise.all(calls)
    const order: unknown[] = []
    for await (const { payload } of engine.export()) order.push(payload)
    expect(store.committed.length).toBeGreaterThan(1)
    expect(order.toReversed()).toEqual(Array.from({ length: 701 }, (_, n) => n))
  })

  it('many callers during an outage cause no more commit attempts than one', async () => {
    const { engine, store, clock } = await open()
    store.fault = busy
    const calls: Promise<string>[] = []
    for (let n = 0; n < 50; n++) {
      calls.push(add(engine))
      await settle()
    }
    await clock.advance(200)
    store.reset()
    await clock.advance(1_000)
    expect(store.tried.length).toBeLessThanOrEqual(25)
    store.fault = null
    await clock.advance(50)
    expect(new Set(await Promise.all(calls)).size).toBe(50)
  })

  it('only one commit runs at a time, also after an outage', async () => {
    const { engine, store, clock } = await open()
    store.fault = busy
    const calls = [add(engine)]
    await settle()
    store.fault = null
    store.hold()
    calls.push(add(engine))
    await clock.advance(10)
    calls.push(add(engine))
    await settle()
    expect(store.overlap).toBe(1)
    store.letGo()
    await Promise.all(calls)
    expect((await engine.stats()).counts.pending).toBe(3)
  })

  it('writes that have waited too long are refused with BUSY and not stored', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 2_000 } })
    store.fault = busy
    const early = refused(add(engine))
    await clock.advance(1_500)
    const late = add(engine)
    await clock.advance(1_000)
    const refusal = await early
    expect([refusal.code, ERRORS[refusal.code].http]).toEqual(['BUSY', 503])
    expect(refusal.message).toContain('Nothing was stored')
    store.fault = null
    await clock.advance(50)
    await late
    expect((await engine.stats()).counts.pending).toBe(1)
  })

  it('the engine works again after all waiting writes were refused', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 1_000 } })
    store.fault = busy
    const call = refused(add(engine))
    await clock.advance(1_200)
    expect((await call).code).toBe('BUSY')
    expect(clock.pendingTimers).toBe(0)
    store.fault = null
    await add(engine)
    expect((await engine.stats()).counts.pending).toBe(1)
  })

  it('a waiting claim survives a busy database', async () => {
    const { engine, store, clock } = await open()
    const claims = [1, 2].map((n) => engine.claim({ worker: `worker-${n}`, waitMs: 20_000 }))
    await settle()
    store.fault = busy
    const job = add(engine)
    await clock.advance(500)
    store.fault = null
    await clock.advance(50)
    expect((await claims[0])?.map(({ id }) => id)).toEqual([await job])
    const second = await add(engine)
    expect((await claims[1])?.map(({ id }) => id)).toEqual([second])
  })

  it('close commits a batch that waits for the database', async () => {
    const { engine, store, clock, another } = await open()
    store.fault = busy
    const call = add(engine)
    await clock.advance(10)
    const closed = engine.close()
    await clock.advance(100)
    store.fault = null
    await clock.advance(50)
    await Promise.all([call, closed])
    expect((await (await another()).engine.stats()).counts.pending).toBe(1)
  })

  it('a failed store rejects all calls, is reported once, and ends all reads and writes', async () => {
    const { engine, store, fatal } = await open()
    const job = await held(engine)
    store.fault = broken
    const calls = [add(engine), add(engine), engine.complete({ id: job.id, version: job.version })]
    const refusals = await Promise.all(calls.map(refused))
    expect(refusals.map(({ code }) => code)).toEqual(['STORE_FAILED', 'STORE_FAILED', 'STORE_FAILED'])
    expect(ERRORS.STORE_FAILED.http).toBe(500)
    store.fault = null
    expect((await refused(add(engine))).code).toBe('STORE_FAILED')
    expect((await refused(engine.heartbeat({ worker: 'worker-1', leases: [] }))).code).toBe('STORE_FAILED')
    expect(fatal.splice(0).map(({ message }) => message)).toEqual(['disk I/O error'])
    expect((await refused(engine.get({ id: job.id }))).code).toBe('STORE_FAILED')
  })

  it('the engine counts as stalled after ten seconds without a write, even if the clock is set back', async () => {
    const { engine, store, clock, errors } = await started(open())
    const isStalled = async () => (await engine.facts()).isStalled
    clock.jump(HOUR)
    expect(await isStalled()).toBe(false)
    store.fault = busy
    clock.jump(-2 * HOUR)
    await clock.advance(9_000)
    expect(await isStalled()).toBe(false)
    await clock.advance(4_000)
    expect(await isStalled()).toBe(true)
    store.fault = null
    await clock.advance(2_000)
    expect(await isStalled()).toBe(false)
    errors.splice(0)
  })

  it('writes queued behind a failed batch are rejected', async () => {
    const { engine, store, fatal } = await open()
    store.fault = broken
    const calls = Array.from({ length: 1_100 }, () => refused(add(engine)))
    const codes = (await Promise.all(calls)).map(({ code }) => code)
    expect(new Set(codes)).toEqual(new Set(['STORE_FAILED']))
    expect([store.tried.length, fatal.splice(0).length, engine.load.queuedWrites]).toEqual([1, 1, 0])
  })

  it('a commit error without a failed store rejects only its own batch', async () => {
    const { engine, store, fatal } = await open()
    store.fault = () => new Error('a bug of ours')
    expect((await refused(add(engine))).code).toBe('STORE_FAILED')
    store.fault = null
    await add(engine)
    expect([fatal.length, (await engine.stats()).counts.pending]).toEqual([0, 1])
  })

  it('the engine continues after a commit error at the end of an outage', async () => {
    const { engine, store, clock } = await open()
    store.fault = busy
    const call = refused(add(engine))
    await clock.advance(10)
    store.fault = () => new Error('a bug of ours')
    await clock.advance(50)
    expect((await call).code).toBe('STORE_FAILED')
    store.fault = null
    const later = add(engine)
    await clock.advance(1_000)
    expect(engine.load.queuedWrites).toBe(0)
    expect((await engine.get({ id: await later })).status).toBe('pending')
  })

  it('the engine can be closed after the store has failed', async () => {
    const { engine, store, fatal, errors, clock } = await started(open())
    store.fault = broken
    await refused(add(engine))
    await engine.close()
    expect([store.calls('close'), clock.pendingTimers, fatal.splice(0).length]).toEqual([1, 0, 1])
    errors.length = 0
  })
})
