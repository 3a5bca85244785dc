/** Leadership of upkeep: of all engines on a database exactly one, and soon another when it is gone. */
import { expect, it } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { describeEngine, held, type Opened, started } from '../../support/engine.ts'
import { StallClock } from '../../support/stall-clock.ts'

const leaders = (...all: readonly Opened[]) => all.map(({ engine }) => engine.isLeader)

describeEngine('leadership', (open) => {
  it('belongs to exactly one engine', async () => {
    const first = await started(open())
    const second = await started(first.another())
    const third = await started(first.another())
    for (let n = 0; n < 30; n++) {
      await first.clock.advance(2 * SECOND)
      expect(leaders(first, second, third)).toEqual([true, false, false])
    }
    expect(second.store.count('rescue') + third.store.count('rescue')).toBe(0)
  })

  it('passes on within seconds when the leader stops', async () => {
    const first = await started(open())
    const second = await started(first.another())
    await first.engine.stop()
    expect(leaders(first, second)).toEqual([false, false])
    await first.clock.advance(5 * SECOND)
    expect(leaders(first, second)).toEqual([false, true])
  })

  it('passes on when the leader closes', async () => {
    const first = await started(open())
    const second = await started(first.another())
    await first.engine.close()
    await second.clock.advance(5 * SECOND)
    expect(leaders(first, second)).toEqual([false, true])
  })

  it('passes on when the leader vanishes, and its work with it', async () => {
    const first = await started(open())
    // Time that only the second engine lives through: the first neither renews nor resigns.
    const second = await started(first.another({ clock: new StallClock() }))
    const { id } = await held(second.engine, {}, { leaseMs: 2 * SECOND })
    await second.clock.advance(20 * SECOND)
    expect(second.engine.isLeader).toBe(true)
    await second.clock.advance(5 * SECOND)
    expect(await second.engine.get({ id })).toMatchObject({ status: 'pending', crashes: 1 })
  })

  it('is not taken from a leader that renews', async () => {
    const first = await started(open())
    const second = await started(first.another())
    await first.clock.advance(5 * MINUTE)
    expect(leaders(first, second)).toEqual([true, false])
  })

  it('is given up by a leader that slept through its time', async () => {
    const first = await started(open())
    const second = await started(first.another({ clock: new StallClock() }))
    await second.clock.advance(20 * SECOND)
    await first.clock.advance(10 * SECOND)
    expect(leaders(first, second)).toEqual([false, true])
  })

  it.each([HOUR, DAY])('passes on soon after the clock was set back by %i ms', async (jumpMs) => {
    const first = await started(open())
    const second = await started(first.another({ clock: new StallClock() }))
    second.clock.jump(-jumpMs)
    await second.clock.advance(MINUTE)
    expect(second.engine.isLeader).toBe(true)
  })

  it('stays with one when the clock of both was set', async () => {
    const first = await started(open())
    const second = await started(first.another())
    for (const jumpMs of [HOUR, -HOUR, -DAY, DAY]) {
      first.clock.jump(jumpMs)
      await first.clock.advance(MINUTE)
      expect(leaders(first, second).filter(Boolean)).toHaveLength(1)
    }
  })
})
