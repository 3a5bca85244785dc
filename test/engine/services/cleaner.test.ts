/** The cleaner: removes exactly the jobs whose retention is over, in small commits. */
import { expect, it } from 'vitest'
import { DAY, MINUTE, SECOND } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, started } from '../../support/engine.ts'

describeEngine('Cleaner', (open) => {
  it('the cleaner removes finished jobs when their retention is over, not before', async () => {
    const { engine, clock } = await started(open({ defaults: { retentionMs: 10 * MINUTE } }))
    const done = await held(engine)
    await engine.complete({ id: done.id, version: done.version, result: 'x' })
    const dead = await held(engine)
    await engine.fail({ id: dead.id, version: dead.version, error: 'no route', retry: false })
    const stopped = await add(engine)
    await engine.cancel({ id: stopped })
    const waiting = await add(engine)
    await clock.advance(9 * MINUTE)
    expect((await engine.stats()).counts).toMatchObject({ completed: 1, failed: 1, cancelled: 1, pending: 1 })
    await clock.advance(2 * MINUTE)
    expect((await engine.stats()).counts).toMatchObject({ completed: 0, failed: 0, cancelled: 0, pending: 1 })
    expect((await engine.list()).jobs.map(({ id }) => id)).toEqual([waiting])
  })

  it('the cleaner uses the retention of each type', async () => {
    const { engine, clock } = await started(open({ defaults: { retentionMs: DAY } }))
    await engine.declareTypes({ types: [{ name: 'mail', settings: { retentionMs: MINUTE } }, { name: 'call' }] })
    await engine.declareTypes({ types: [{ name: 'fax', settings: { retentionMs: 0 } }] })
    for (const type of ['mail', 'call', 'fax']) {
      await add(engine, { type })
      await engine.claim({ worker: 'worker-1', types: [type], settle: true })
    }
    const left = async () => (await engine.list()).jobs.map(({ type }) => type).sort()
    await clock.advance(10 * SECOND)
    expect(await left()).toEqual(['call', 'mail'])
    await clock.advance(2 * MINUTE)
    expect(await left()).toEqual(['call'])
  })

  it('the cleaner works in chunks and lets other calls through in between', async () => {
    const { engine, store, clock } = await started(open({ defaults: { retentionMs: MINUTE } }))
    await addMany(engine, 1_000)
    for (let n = 0; n < 10; n++) await engine.claim({ worker: 'worker-1', limit: 100, settle: true })
    await clock.advance(30 * SECOND)
    store.reset()
    const between: Promise<string>[] = []
    engine.events.subscribe(({ event }) => {
      if (event.kind === 'jobs' && event.changes[0]?.to === null && between.length === 0) between.push(add(engine))
    })
    await clock.advance(2 * MINUTE)
    await Promise.all(between)
    const cleanups = store.committed.flatMap((ops, at) => (ops.some(({ kind }) => kind === 'cleanup') ? [at] : []))
    const insert = store.committed.findIndex((ops) => ops.some(({ kind }) => kind === 'enqueue'))
    expect(cleanups.length).toBeGreaterThanOrEqual(4)
    expect(insert).toBeGreaterThan(-1)
    expect(insert).toBeLessThan(cleanups[3] ?? 0)
    expect((await engine.stats()).counts).toMatchObject({ completed: 0, pending: 1 })
  })

  it('the cleaner emits events for removed jobs', async () => {
    const { engine, clock } = await started(open({ defaults: { retentionMs: 0 } }))
    const id = await add(engine)
    await engine.claim({ worker: 'worker-1', settle: true })
    const removed: string[] = []
    engine.events.subscribe(({ event }) => {
      if (event.kind !== 'jobs') return
      for (const change of event.changes) if (change.to === null) removed.push(change.id)
    })
    await clock.advance(MINUTE)
    expect(removed).toEqual([id])
  })

  it('the cleaner frees the dedupe key of a removed job', async () => {
    const { engine, clock } = await started(open({ defaults: { retentionMs: MINUTE } }))
    const first = await add(engine, { dedupeKey: 'invoice-7' })
    await engine.claim({ worker: 'worker-1', settle: true })
    expect(await add(engine, { dedupeKey: 'invoice-7' })).toBe(first)
    await clock.advance(3 * MINUTE)
    expect(await add(engine, { dedupeKey: 'invoice-7' })).not.toBe(first)
  })

  it('the cleaner deletes workers after a day, and minutes that no chart shows any more', async () => {
    const { engine, store, clock } = await started(open())
    await engine.claim({ worker: 'worker-1' })
    await add(engine)
    // Minute 0 contains the sums of deleted minutes.
    const minutes = () => store.minutes({ sinceMinute: 1, type: null })
    clock.stall(DAY - 10 * MINUTE)
    await clock.advance(3 * MINUTE)
    expect((await engine.workers()).map(({ name }) => name)).toEqual(['worker-1'])
    clock.stall(10 * MINUTE)
    await clock.advance(3 * MINUTE)
    expect([await engine.workers(), (await minutes()).length]).toEqual([[], 1])
    clock.stall(8 * DAY)
    await clock.advance(3 * MINUTE)
    expect([(await minutes()).length, (await engine.stats()).counts.pending]).toEqual([0, 1])
  })

  it('the cleaner runs only in the leading engine', async () => {
    const first = await started(open({ defaults: { retentionMs: 0 } }))
    const second = await started(first.another())
    await first.clock.advance(5 * MINUTE)
    expect([first.store.count('cleanup') > 0, second.store.count('cleanup')]).toEqual([true, 0])
  })
})
