/** How a waiting claim ends without a job: time, a signal, a closed engine; what it was given meanwhile goes back. */
import { expect, it } from 'vitest'
import { add, describeEngine, held, ids, inLine, take } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('leaving the line', (open) => {
  it('goes empty-handed when its time is up', async () => {
    const { engine, clock } = await open()
    const { claim } = await inLine(engine, { waitMs: 5_000 })
    await clock.advance(4_999)
    expect(engine.load.waitingClaims).toBe(1)
    await clock.advance(1)
    expect([await claim, engine.load.waitingClaims, clock.pendingTimers]).toEqual([[], 0, 0])
  })

  it('ends when its signal aborts, and takes no job', async () => {
    const { engine, clock } = await open()
    const leaving = new AbortController()
    const { claim } = await inLine(engine, {}, leaving.signal)
    leaving.abort()
    expect([await claim, engine.load.waitingClaims, clock.pendingTimers]).toEqual([[], 0, 0])
    const id = await add(engine)
    expect((await take(engine)).id).toBe(id)
  })

  it('claims nothing for a caller who is gone already', async () => {
    const { engine } = await open()
    const id = await add(engine)
    const jobs = await engine.claim({ worker: 'gone', waitMs: 1_000 }, { signal: AbortSignal.abort() })
    expect([jobs, (await engine.get({ id })).version]).toEqual([[], 0])
  })

  it('settles for a caller who is gone, and claims nothing', async () => {
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

  it('gives a job back uncounted when the caller left while it was being claimed', async () => {
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

  it('gives a job back that was claimed at once for a caller who left', async () => {
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

  it('gives a job back when the time was up while it was being claimed', async () => {
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

  it('hands what it gives back to the next in line', async () => {
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

  it('goes empty-handed when the engine closes', async () => {
    const { engine, clock } = await open()
    const lines = [await inLine(engine), await inLine(engine, { types: ['call'] })]
    await engine.close()
    expect(await Promise.all(lines.map(({ claim }) => claim))).toEqual([[], []])
    expect(clock.pendingTimers).toBe(0)
  })

  it('does not start to wait in an engine that closes', async () => {
    const { engine, clock } = await open()
    const claim = engine.claim({ worker: 'late', waitMs: 30_000 })
    await engine.close()
    await clock.advance(100)
    expect([engine.load.waitingClaims, clock.pendingTimers]).toEqual([0, 0])
    expect(await claim).toEqual([])
  })

  it('leaves no job behind that was claimed for it while the engine closed', async () => {
    const { engine, another } = await open()
    const job = await held(engine, {}, { worker: 'first' })
    const { claim } = await inLine(engine)
    await engine.release({ id: job.id, version: job.version })
    await engine.close()
    expect(await claim).toEqual([])
    const { engine: later } = await another()
    expect(await later.get({ id: job.id })).toMatchObject({ status: 'pending', attempts: 0, lockedBy: null })
  })

  it('leaves no job behind for a caller who left while the engine closed', async () => {
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

  it('leaves the others in line alone', async () => {
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
