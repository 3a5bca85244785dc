/** A leader that loses its database connection: another takes over, and there is never more than one. */
import { expect, it } from 'vitest'
import { StoreBusy } from '../../../server/store/store.ts'
import { SECOND } from '../../../shared/limits.ts'
import { describeEngine, held, started } from '../../support/engine.ts'

describeEngine('a leader without a database connection', (open) => {
  it('a disconnected leader is replaced by one other engine, and does not lead when it is back', async () => {
    const first = await started(open())
    const second = await started(first.another())
    const third = await started(first.another())
    const { id } = await held(second.engine, {}, { leaseMs: 2 * SECOND })
    first.store.fault = () => new StoreBusy('The link is cut.')
    await first.clock.advance(9 * SECOND)
    const leaders = () => [second, third].filter(({ engine }) => engine.isLeader).length
    expect(leaders()).toBe(1)
    await first.clock.advance(5 * SECOND)
    expect(await third.engine.get({ id })).toMatchObject({ status: 'pending', crashes: 1 })
    first.store.fault = null
    await first.clock.advance(5 * SECOND)
    expect([first.engine.isLeader, leaders()]).toEqual([false, 1])
    first.errors.length = 0
  })

  it('a disconnected leader steps down, and leads again when there is no other leader', async () => {
    const { engine, store, clock, errors } = await started(open())
    expect(engine.isLeader).toBe(true)
    store.fault = () => new StoreBusy('The link is cut.')
    await clock.advance(60 * SECOND)
    expect(engine.isLeader).toBe(false)
    store.fault = null
    await clock.advance(5 * SECOND)
    expect(engine.isLeader).toBe(true)
    errors.length = 0
  })
})
