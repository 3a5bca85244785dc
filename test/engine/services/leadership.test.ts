/** Leadership of upkeep: exactly one engine per database leads, and another soon takes over. */
import { expect, it } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { describeEngine, held, type Opened, started } from '../../support/engine.ts'
import { StallClock } from '../../support/stall-clock.ts'

const leaders = (...all: readonly Opened[]) => all.map(({ engine }) => engine.isLeader)

describeEngine('leadership', (open) => {
  it('leadership belongs to exactly one engine', async () => {
    const first = await started(open())
    const second = await started(first.another())
    const third = await started(first.another())
    for (let n = 0; n < 30; n++) {
      await first.clock.advance(2 * SECOND)
      expect(leaders(first, second, third)).toEqual([true, false, false])
    }
    expect(second.store.count('rescue') + third.store.count('rescue')).toBe(0)
  })

  it('leadership moves within seconds when the leader stops', async () => {
    const first = await started(open())
    const second = await started(first.another())
    await first.engine.stop()
    expect(leaders(first, second)).toEqual([false, false])
    await first.clock.advance(5 * SECOND)
    expect(leaders(first, second)).toEqual([false, true])
  })

  it('leadership moves when the leader closes', async () => {
    const first = await started(open())
    const second = await started(first.another())
    await first.engine.close()
    await second.clock.advance(5 * SECOND)
    expect(leaders(first, second)).toEqual([false, true])
  })

  it('leadership and its work move when the leader vanishes', async () => {
    const first = await started(open())
    // Only the clock of the second engine advances: the first neither renews nor resigns.
    const second = await started(first.another({ clock: new StallClock() }))
    const { id } = await held(second.engine, {}, { leaseMs: 2 * SECOND })
    await second.clock.advance(20 * SECOND)
    expect(second.engine.isLeader).toBe(true)
    await second.clock.advance(5 * SECOND)
    expect(await second.engine.get({ id })).toMatchObject({ status: 'pending', crashes: 1 })
  })

  it('leadership stays with a leader that renews it', async () => {
    const first = await started(open())
    const second = await started(first.another())
    await first.clock.advance(5 * MINUTE)
    expect(leaders(first, second)).toEqual([true, false])
  })

  it('a leader that slept past the expiry gives up leadership', async () => {
    const first = await started(open())
    const second = await started(first.another({ clock: new StallClock() }))
    await second.clock.advance(20 * SECOND)
    await first.clock.advance(10 * SECOND)
    expect(leaders(first, second)).toEqual([false, true])
  })

  it.each([HOUR, DAY])('leadership moves soon after the clock was set back by %i ms', async (jumpMs) => {
    const first = await started(open())
    const second = await started(first.another({ clock: new StallClock() }))
    second.clock.jump(-jumpMs)
    await second.clock.advance(MINUTE)
    expect(second.engine.isLeader).toBe(true)
  })

  it('leadership stays with one engine when the clock of both is changed', async () => {
    const first = await started(open())
    const second = await started(first.another())
    for (const jumpMs of [HOUR, -HOUR, -DAY, DAY]) {
      first.clock.jump(jumpMs)
      await first.clock.advance(MINUTE)
      expect(leaders(first, second).filter(Boolean)).toHaveLength(1)
    }
  })
})
