/** A clock that jumps ahead removes nothing by itself: retention and expiry wait until it is confirmed. */
import { expect, it } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, type Opened, started, take } from '../../support/engine.ts'
import { StallClock } from '../../support/stall-clock.ts'
import { START } from '../../support/test-clock.ts'

async function failForGood({ engine }: Opened): Promise<void> {
  const { id, version } = await held(engine)
  await engine.fail({ id, version, error: 'no route', retry: false })
}

/** Skips thousands of leadership renewals; those in the last minute are enough. */
async function pass(clock: StallClock, ms: number): Promise<void> {
  await clock.advance(4 * SECOND)
  clock.stall(ms - MINUTE - 4 * SECOND)
  await clock.advance(MINUTE)
}

describeEngine('a clock that jumps ahead', (open) => {
  it('a short clock jump ahead removes no failed job and expires no job', async () => {
    const opened = await started(open())
    const { engine, clock } = opened
    await failForGood(opened)
    const id = await add(engine, { expiresAt: clock.now() + DAY })
    await clock.advance(10 * SECOND)
    clock.jump(40 * DAY)
    await pass(clock, 10 * MINUTE)
    expect(await engine.facts()).toMatchObject({ isClockUnsure: true })
    expect((await engine.stats()).counts).toMatchObject({ failed: 1, pending: 1 })
    expect(await engine.claim({ worker: 'worker-1' })).toEqual([])
    clock.jump(-40 * DAY)
    await clock.advance(2 * MINUTE)
    expect(await engine.facts()).toMatchObject({ isClockUnsure: false })
    expect((await engine.stats()).counts).toMatchObject({ failed: 1, pending: 1 })
    expect((await take(engine)).id).toBe(id)
  })

  it('a clock jump is trusted after a steady hour, and retention then starts in small steps', async () => {
    const opened = await started(open({ defaults: { retentionMs: DAY } }))
    const { engine, clock } = opened
    await addMany(engine, 600)
    for (let n = 0; n < 6; n++) await engine.claim({ worker: 'worker-1', limit: 100, settle: true })
    const id = await add(engine, { expiresAt: clock.now() + DAY })
    clock.jump(2 * DAY)
    await pass(clock, 30 * MINUTE)
    clock.jump(DAY)
    await pass(clock, 58 * MINUTE)
    const completed = async () => (await engine.stats()).counts.completed
    expect(await completed()).toBe(600)
    await clock.advance(2 * MINUTE + 30 * SECOND)
    expect(await engine.facts()).toMatchObject({ isClockUnsure: false })
    expect([250, 500]).toContain(600 - (await completed()))
    expect(await engine.get({ id })).toMatchObject({ status: 'cancelled' })
    await clock.advance(3 * MINUTE)
    expect(await completed()).toBe(0)
  })

  it('a clock jump between two runs is not trusted at once either', async () => {
    const first = await started(open({ defaults: { retentionMs: DAY } }))
    await failForGood(first)
    await first.clock.advance(10 * SECOND)
    await first.engine.stop()
    const second = await started(first.another({ clock: new StallClock(START + 40 * DAY) }))
    await pass(second.clock, 50 * MINUTE)
    expect((await second.engine.stats()).counts).toMatchObject({ failed: 1 })
    expect(await second.engine.facts()).toMatchObject({ isClockUnsure: true })
    await pass(second.clock, 15 * MINUTE)
    expect((await second.engine.stats()).counts).toMatchObject({ failed: 0 })
  })

  it('a clock jump is trusted after a steady hour summed over several short runs', async () => {
    const first = await started(open({ defaults: { retentionMs: DAY } }))
    await failForGood(first)
    await first.clock.advance(10 * SECOND)
    await first.engine.stop()
    for (let day = 40; day < 43; day++) {
      const next = await started(first.another({ clock: new StallClock(START + day * DAY) }))
      expect(await next.engine.facts()).toMatchObject({ isClockUnsure: true })
      await pass(next.clock, 25 * MINUTE)
      expect((await next.engine.stats()).counts).toMatchObject({ failed: day < 42 ? 1 : 0 })
      await next.engine.stop()
    }
  })

  it('a stop of less than an hour does not count as a clock jump', async () => {
    const first = await started(open({ defaults: { retentionMs: 20 * MINUTE } }))
    await failForGood(first)
    await first.engine.stop()
    const second = await started(first.another({ clock: new StallClock(START + HOUR / 2) }))
    expect(await second.engine.facts()).toMatchObject({ isClockUnsure: false })
    await second.clock.advance(10 * SECOND)
    expect((await second.engine.stats()).counts).toMatchObject({ failed: 0 })
  })

  it('an operator can remove jobs after a clock jump', async () => {
    const opened = await started(open())
    await failForGood(opened)
    opened.clock.jump(40 * DAY)
    await opened.clock.advance(10 * SECOND)
    expect(await opened.engine.cleanup({ olderThanMs: 0, status: ['failed'] })).toEqual({ removed: 1 })
  })

  it('a clock jump that equals the sleep of the machine is trusted at once', async () => {
    const opened = await started(open({ defaults: { retentionMs: DAY } }))
    const { engine, clock } = opened
    await failForGood(opened)
    for (let n = 0; n < 3; n++) {
      await clock.advance(10 * SECOND)
      clock.sleep(10 * HOUR)
    }
    await clock.advance(MINUTE)
    expect(await engine.facts()).toMatchObject({ isClockUnsure: false })
    expect((await engine.stats()).counts).toMatchObject({ failed: 0 })
  })

  it('a clock jump longer than the sleep is not trusted, and sleep does not count as steady time', async () => {
    const opened = await started(open({ defaults: { retentionMs: DAY } }))
    const { engine, clock } = opened
    await failForGood(opened)
    await clock.advance(10 * SECOND)
    clock.sleep(HOUR)
    clock.jump(2 * DAY)
    await clock.advance(10 * SECOND)
    clock.sleep(10 * HOUR)
    await clock.advance(10 * SECOND)
    expect(await engine.facts()).toMatchObject({ isClockUnsure: true })
    expect((await engine.stats()).counts).toMatchObject({ failed: 1 })
    await pass(clock, 61 * MINUTE)
    expect(await engine.facts()).toMatchObject({ isClockUnsure: false })
  })
})
