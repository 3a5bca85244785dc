/** Start and stop of services: in any order and number, with no timer left behind. */
import { expect, it, vi } from 'vitest'
import { MINUTE, SECOND } from '../../shared/limits.ts'
import { add, describeEngine, type Opened, refused, started } from '../support/engine.ts'

describeEngine('start and stop', (open) => {
  it('a second start has no effect', async () => {
    const once = await started(open())
    const often = await open()
    often.engine.start()
    often.engine.start()
    await often.clock.advance(0)
    often.engine.start()
    for (const { clock } of [once, often]) await clock.advance(5 * MINUTE)
    expect(often.engine.isLeader).toBe(true)
    const kinds = ({ store }: Opened) => store.committed.map((ops) => ops.map(({ kind }) => kind))
    expect(kinds(often)).toEqual(kinds(once))
  })

  it('a second stop has no effect, and no service runs afterwards', async () => {
    const { engine, store, clock } = await started(open())
    await Promise.all([engine.stop(), engine.stop()])
    await engine.stop()
    expect([engine.isLeader, clock.pendingTimers]).toEqual([false, 0])
    store.reset()
    const id = await add(engine, { delayMs: SECOND })
    await clock.advance(MINUTE)
    expect([store.committed.length, (await engine.get({ id })).status]).toEqual([1, 'scheduled'])
  })

  it('stop works without a start', async () => {
    const { engine, clock } = await open()
    await engine.stop()
    expect([engine.isLeader, engine.upkeepAt, clock.pendingTimers]).toEqual([false, null, 0])
    expect(await add(engine)).toBeTypeOf('string')
  })

  it('services can start again after a stop', async () => {
    const { engine, clock } = await started(open())
    await engine.stop()
    const id = await add(engine, { delayMs: SECOND })
    engine.start()
    await clock.advance(SECOND)
    expect([engine.isLeader, engine.upkeepAt, (await engine.get({ id })).status]).toEqual([
      true,
      clock.now() - SECOND,
      'pending',
    ])
  })

  it('stop works while start is running', async () => {
    const { engine, clock } = await open()
    engine.start()
    await engine.stop()
    await clock.advance(MINUTE)
    expect([engine.isLeader, clock.pendingTimers]).toEqual([false, 0])
  })

  it('stop works while the engine is becoming leader', async () => {
    const { engine, store, clock, another } = await open()
    store.hold()
    engine.start()
    await clock.advance(0)
    const stopped = engine.stop()
    store.letGo()
    await stopped
    expect([engine.isLeader, clock.pendingTimers]).toEqual([false, 0])
    const { engine: next } = await started(another())
    expect(next.isLeader).toBe(true)
  })

  it('close works with running services and without', async () => {
    const first = await started(open())
    const second = await first.another()
    await Promise.all([first.engine.close(), second.engine.close()])
    expect(first.clock.pendingTimers).toBe(0)
    expect((await refused(add(second.engine))).code).toBe('CLOSED')
  })

  it('upkeepAt is the time of the last leadership check', async () => {
    const { engine, clock, another } = await started(open())
    const { engine: follower } = await started(another())
    await clock.advance(MINUTE)
    for (const one of [engine, follower]) expect(clock.now() - (one.upkeepAt ?? 0)).toBeLessThanOrEqual(5 * SECOND)
    expect((await engine.facts()).isStalled).toBe(false)
  })

  it('stuck writes are reported while leadership is not renewed', async () => {
    const { engine, store, clock } = await started(open())
    store.hold()
    await clock.advance(9 * SECOND)
    expect((await engine.facts()).isStalled).toBe(false)
    await clock.advance(4 * SECOND)
    expect((await engine.facts()).isStalled).toBe(true)
    store.letGo()
    await vi.waitFor(async () => {
      await clock.advance(SECOND)
      expect((await engine.facts()).isStalled).toBe(false)
    })
  })
})
