/** Waiting claims that end by timeout, abort or close: jobs claimed meanwhile are released. */
import { expect, it } from 'vitest'
import { add, describeEngine, held, ids, inLine, take } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('waiting claims that end without a job', (open) => {
  it('a waiting claim returns no jobs when waitMs is over', async () => {
    const { engine, clock } = await open()
    const { claim } = await inLine(engine, { waitMs: 5_000 })
    await clock.advance(4_999)
    expect(engine.load.waitingClaims).toBe(1)
    await clock.advance(1)
    expect([await claim, engine.load.waitingClaims, clock.pendingTimers]).toEqual([[], 0, 0])
  })

  it('a waiting claim ends when its signal aborts, and takes no job', async () => {
    const { engine, clock } = await open()
    const leaving = new AbortController()
    const { claim } = await inLine(engine, {}, leaving.signal)
    leaving.abort()
    expect([await claim, engine.load.waitingClaims, clock.pendingTimers]).toEqual([[], 0, 0])
    const id = await add(engine)
    expect((await take(engine)).id).toBe(id)
  })

  it('a claim with an aborted signal takes no job', async () => {
    const { engine } = await open()
    const id = await add(engine)
    const jobs = await engine.claim({ worker: 'gone', waitMs: 1_000 }, { signal: AbortSignal.abort() })
    expect([jobs, (await engine.get({ id })).version]).toEqual([[], 0])
  })

  it('an exchange with an aborted signal settles its jobs and claims none', async () => {
    const { engine } = await open()
    const job = await held(engine)
    const next = await add(engine)
    const settle = [{ kind: 'complete' as const, id: job.id, version: job.version }]
    const { settled, jobs } = await engine.exchange(
      { worker: 'worker-1', settle, claim: {} },
      { signal: AbortSignal.abort() },
    )
    expect([settled.map(({ ok }) => ok), jobs]).toEqual([[true], []])
    expect((await engine.get({ id: next })).status).toBe('pending')
  })

  it('a waiting claim that is aborted during its commit releases the job without counting the attempt', async () => {
    const { engine, store } = await open()
    const leaving = new AbortController()
    const { claim } = await inLine(engine, {}, leaving.signal)
    store.hold()
    const adding = add(engine)
    await settle()
    leaving.abort()
    expect(await claim).toEqual([])
    store.letGo()
    const id = await adding
    await settle()
    const job = await engine.get({ id })
    expect([job.status, job.attempts, job.version, job.lockedBy]).toEqual(['pending', 0, 1, null])
    expect((await take(engine)).attempts).toBe(1)
  })

  it('a claim that is aborted during its commit releases the job', async () => {
    const { engine, store } = await open()
    const leaving = new AbortController()
    const id = await add(engine)
    store.hold()
    const claim = engine.claim({ worker: 'leaving' }, { signal: leaving.signal })
    await settle()
    leaving.abort()
    store.letGo()
    expect(await claim).toEqual([])
    await settle()
    expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
  })

  it('a waiting claim whose waitMs ends during its commit releases the job', async () => {
    const { engine, store, clock } = await open()
    const { claim } = await inLine(engine, { waitMs: 1_000 })
    store.hold()
    const adding = add(engine)
    await clock.advance(1_000)
    expect(await claim).toEqual([])
    store.letGo()
    const id = await adding
    await settle()
    expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
  })

  it('a job released by an aborted claim goes to the next waiting claim', async () => {
    const { engine, store } = await open()
    const leaving = new AbortController()
    const first = await inLine(engine, { worker: 'first' }, leaving.signal)
    const second = await inLine(engine, { worker: 'second' })
    store.hold()
    const adding = add(engine)
    await settle()
    leaving.abort()
    store.letGo()
    expect([await first.claim, await second.claim]).toEqual([[], [await adding]])
  })

  it('a waiting claim returns no jobs when the engine closes', async () => {
    const { engine, clock } = await open()
    const lines = [await inLine(engine), await inLine(engine, { types: ['call'] })]
    await engine.close()
    expect(await Promise.all(lines.map(({ claim }) => claim))).toEqual([[], []])
    expect(clock.pendingTimers).toBe(0)
  })

  it('a claim does not start to wait while the engine closes', async () => {
    const { engine, clock } = await open()
    const claim = engine.claim({ worker: 'late', waitMs: 30_000 })
    await engine.close()
    await clock.advance(100)
    expect([engine.load.waitingClaims, clock.pendingTimers]).toEqual([0, 0])
    expect(await claim).toEqual([])
  })

  it('a job that a waiting claim took while the engine closed is released', async () => {
    const { engine, another } = await open()
    const job = await held(engine, {}, { worker: 'first' })
    const { claim } = await inLine(engine)
    await engine.release({ id: job.id, version: job.version })
    await engine.close()
    expect(await claim).toEqual([])
    const { engine: later } = await another()
    expect(await later.get({ id: job.id })).toMatchObject({ status: 'pending', attempts: 0, lockedBy: null })
  })

  it('a job that an aborted claim took while the engine closed is released', async () => {
    const { engine, store, another } = await open()
    const id = await add(engine)
    const leaving = new AbortController()
    store.hold()
    const claim = engine.claim({ worker: 'leaving' }, { signal: leaving.signal })
    await settle()
    leaving.abort()
    const closed = engine.close()
    await settle()
    store.letGo()
    expect(await claim).toEqual([])
    await closed
    const { engine: later } = await another()
    expect(await later.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
  })

  it('an aborted claim does not affect other waiting claims', async () => {
    const { engine } = await open()
    const leaving = new AbortController()
    await inLine(engine, { worker: 'first' }, leaving.signal)
    const second = await inLine(engine, { worker: 'second' })
    leaving.abort()
    const id = await add(engine)
    expect(await second.claim).toEqual([id])
    expect(ids(await engine.claim({ worker: 'third' }))).toEqual([])
  })
})
