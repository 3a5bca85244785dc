/** Two engines on one database: each polls for the other's commits only while calls wait. */
import { expect, it } from 'vitest'
import { add, describeEngine, held, inLine, started } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('commits of another engine', (open) => {
  it('a commit of another engine wakes a waiting claim', async () => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    const { claim } = await inLine(engine)
    const id = await add(other)
    await clock.advance(2 * store.pollMs)
    expect(await claim).toEqual([id])
  })

  it('a commit of another engine wakes a claim that has just begun to wait', async () => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    store.hold()
    const claim = engine.claim({ worker: 'waiter', waitMs: 30_000 })
    await settle()
    const id = await add(other)
    store.letGo()
    await clock.advance(2 * store.pollMs)
    expect((await claim).map((job) => job.id)).toEqual([id])
  })

  it('a resume through another engine wakes a waiting claim', async () => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    const id = await add(engine)
    await engine.pauseType({ name: 'mail' })
    const { claim } = await inLine(engine)
    await other.resumeType({ name: 'mail' })
    await clock.advance(2 * store.pollMs)
    expect(await claim).toEqual([id])
  })

  it.each([
    ['slots', { maxConcurrency: 1 }, 'maxConcurrency'],
    ['tokens', { rate: 0.001, burst: 1 }, 'rate'],
  ] as const)('a limit raised through another engine wakes a claim that waits for %s', async (_, settings, limit) => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    await engine.declareTypes({ types: [{ name: 'mail', settings }] })
    await held(engine)
    const id = await add(engine)
    const { claim } = await inLine(engine)
    await other.updateType({ name: 'mail', set: { [limit]: null } })
    await clock.advance(2 * store.pollMs)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })

  it('a job scheduled by another engine arms the scheduler', async () => {
    const { engine, clock, another } = await started(open())
    const { engine: other } = await another()
    const { claim } = await inLine(engine)
    const id = await add(other, { delayMs: 2_000 })
    await clock.advance(2_000)
    expect(await claim).toEqual([id])
  })

  it('a commit of another engine emits the event `elsewhere`', async () => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    const kinds: string[] = []
    engine.events.subscribe(({ event }) => kinds.push(event.kind))
    await inLine(engine, { types: ['call'] })
    await add(other)
    await clock.advance(2 * store.pollMs)
    expect(kinds).toEqual(['elsewhere'])
  })

  it('commits of other engines are polled for only while calls wait', async () => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    await add(other)
    await clock.advance(10_000)
    expect(store.calls('changedElsewhere')).toBe(0)
    const { claim } = await inLine(engine, { types: ['call'], waitMs: 1_000 })
    await clock.advance(1_000)
    await claim
    const looks = store.calls('changedElsewhere')
    expect(looks).toBeGreaterThanOrEqual(Math.floor((0.75 * 1_000) / store.pollMs))
    await clock.advance(10_000)
    expect([store.calls('changedElsewhere'), clock.pendingTimers]).toEqual([looks, 0])
  })

  it('commits of other engines are polled for once per interval, however many calls wait', async () => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    const id = await add(engine)
    const results = Promise.all([1, 2, 3].map(() => engine.result({ ids: [id], waitMs: 30_000 })))
    await settle()
    for (let n = 0; n < 20; n++) {
      await add(other)
      await clock.advance(2 * store.pollMs)
    }
    store.reset()
    await clock.advance(1_000)
    expect(store.calls('changedElsewhere')).toBeLessThanOrEqual(1_000 / store.pollMs + 1)
    await other.cancel({ id })
    await clock.advance(2 * store.pollMs)
    expect((await results).map(({ outcomes }) => outcomes[0]?.status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })
})
