/** The ticker: jobs of schedules are enqueued when their ticks are due, once each, and missed ticks are caught up. */
import { expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { TURN_SCHEDULES, TURN_TICKS } from '../../../server/engine/schedules/ticker.ts'
import type { ScheduleCreateInput } from '../../../shared/contracts/schedules.ts'
import { HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { CATCH_UPS } from '../../../shared/schedules/schedule.ts'
import { describeEngine, sqlite, started, take } from '../../support/engine.ts'
import { START, settle } from '../../support/test-clock.ts'

const schedule = (input: Partial<ScheduleCreateInput> = {}): ScheduleCreateInput => ({
  name: 'nightly',
  type: 'report',
  payload: { n: 1 },
  every: '10s',
  overlap: 'allow',
  ...input,
})

async function ticksOf(engine: Engine, name = 'nightly') {
  const { ticks } = await engine.schedule({ name })
  return ticks.map(({ at, outcome, missed }) => [(at - START) / SECOND, outcome, missed]).reverse()
}

const total = async (engine: Engine) => (await engine.counts()).pending

describeEngine('schedules', (open) => {
  it('a schedule enqueues a job at each of its ticks, not before, and the worker gets the tick', async () => {
    const { engine, clock } = await started(open())
    const { nextTickAt } = await engine.createSchedule(schedule())
    expect(nextTickAt).toBe(START + 5 * SECOND)
    await clock.advance(4 * SECOND)
    expect(await total(engine)).toBe(0)
    await clock.advance(SECOND)
    const first = await take(engine, { types: ['report'] })
    expect(first).toMatchObject({ payload: { n: 1 }, priority: 0 })
    expect(first.tick).toEqual({ schedule: 'nightly', at: nextTickAt, previous: null, missed: 0, backfill: false })
    await clock.advance(10 * SECOND)
    expect((await take(engine, { types: ['report'] })).tick).toMatchObject({ previous: nextTickAt })
    expect(await engine.schedule({ name: 'nightly' })).toMatchObject({ runs: 2, state: 'active' })
  })

  it.each(CATCH_UPS)('ticks that were missed while no node ran follow the policy %s', async (catchUp) => {
    const first = await started(open())
    await first.engine.createSchedule(schedule({ every: '10m', catchUp }))
    await first.engine.stop()
    await first.clock.advance(35 * MINUTE)
    const { engine } = await started(first.another())
    const at = [595, 1_195, 1_795]
    expect(await ticksOf(engine)).toEqual(
      {
        one: [[1_795, 'enqueued', 2]],
        none: [[1_795, 'missed', 3]],
        all: at.map((second) => [second, 'enqueued', 0]),
      }[catchUp],
    )
    expect((await engine.schedule({ name: 'nightly' })).nextTickAt).toBe(START + 2_395 * SECOND)
  })

  it('ticks outside of the catch-up window are recorded as missed', async () => {
    const first = await started(open())
    await first.engine.createSchedule(schedule({ every: '10m', catchUp: 'all', catchUpWindowMs: 20 * MINUTE }))
    await first.engine.stop()
    await first.clock.advance(HOUR)
    const { engine } = await started(first.another())
    expect(await ticksOf(engine)).toEqual([
      [2_395, 'missed', 4],
      [2_995, 'enqueued', 4],
      [3_595, 'enqueued', 0],
    ])
  })

  it('many missed ticks are enqueued in turns, oldest first', async () => {
    const first = await started(open())
    await first.engine.createSchedule(schedule({ every: '1m', catchUp: 'all' }))
    await first.engine.stop()
    await first.clock.advance(2 * HOUR)
    const { engine, store } = await started(first.another())
    const jobs = (await engine.list({ sort: 'oldest', limit: 200 })).jobs
    expect(jobs.map(({ tick }) => tick?.at)).toEqual(
      Array.from({ length: 120 }, (_, n) => START + 55 * SECOND + n * MINUTE),
    )
    const ticks = store.committed.flat().flatMap((op) => (op.kind === 'schedule' ? [op.ticks.length] : []))
    expect(Math.max(...ticks)).toBe(TURN_TICKS)
  })

  it('a schedule whose zone disappears is paused with the reason, and the others go on', async () => {
    const { engine, clock, store } = await started(open())
    await engine.createSchedule(schedule())
    await engine.createSchedule(schedule({ name: 'odd' }))
    const odd = await engine.schedule({ name: 'odd' })
    const set = {
      override: JSON.stringify({ ...odd.override, every: undefined, cron: '0 0 * * *', timezone: 'Mars/Base' }),
    }
    const expected = { revision: odd.revision, nextTickAt: odd.nextTickAt }
    await store.commit([
      { kind: 'schedule', name: 'odd', expect: expected, set, dueAt: null, maxRuns: null, ticks: [], entry: null },
    ])
    await clock.advance(15 * SECOND)
    expect(await engine.explainSchedule({ name: 'odd' })).toMatchObject({
      reason: 'paused',
      text: expect.stringContaining('Mars/Base'),
    })
    expect((await engine.schedule({ name: 'nightly' })).runs).toBe(2)
  })

  it('a tick that enqueues nothing emits an event about schedules, one with a job does not', async () => {
    const { engine, clock } = await started(open())
    await engine.createSchedule(schedule({ overlap: 'skip' }))
    const kinds: string[] = []
    onTestFinished(engine.events.subscribe(({ event }) => kinds.push(event.kind)))
    await clock.advance(5 * SECOND)
    expect(kinds).toEqual(['jobs'])
    await clock.advance(10 * SECOND)
    expect(await ticksOf(engine)).toEqual([
      [5, 'enqueued', 0],
      [15, 'skipped', 0],
    ])
    expect(kinds).toEqual(['jobs', 'schedules'])
  })

  it('a spread delays each tick, and the nominal time stays in the tick', async () => {
    const { engine, clock } = await started(open())
    const { nextTickAt, nextRunAt } = await engine.createSchedule(schedule({ spread: '50%' }))
    const delayMs = (nextRunAt ?? 0) - (nextTickAt ?? 0)
    expect(delayMs).toBeGreaterThan(0)
    await clock.advance((nextRunAt ?? 0) - clock.now() - 1)
    expect(await total(engine)).toBe(0)
    await clock.advance(1)
    expect((await take(engine, { types: ['report'] })).tick?.at).toBe(nextTickAt)
  })
})

// Long times on the clock are slow on PostgreSQL, whose leader works every two seconds; the conformance suite has its cases.
describeEngine(
  'schedules over a long time',
  (open) => {
    it('a clock that jumps ahead enqueues nothing until it has been steady, then catches up once', async () => {
      const { engine, clock } = await started(open())
      await engine.createSchedule(schedule({ every: '10m' }))
      clock.jump(3 * HOUR)
      await clock.advance(4 * MINUTE)
      expect(await total(engine)).toBe(0)
      expect(await engine.explainSchedule({ name: 'nightly' })).toMatchObject({ reason: 'clock_untrusted' })
      await clock.advance(2 * MINUTE)
      expect(await total(engine)).toBe(1)
      // Set back to the right time: what ran does not run again.
      clock.jump(-3 * HOUR)
      await clock.advance(30 * MINUTE)
      expect(await total(engine)).toBe(1)
    })

    it('ten thousand schedules that are due at once are processed in bounded turns', async () => {
      const { engine, clock, store } = await started(open())
      const schedules = Array.from({ length: 1_000 }, (_, n) =>
        schedule({ name: `s-${n}`, every: '1h', offset: '30m10s' }),
      )
      for (let owner = 0; owner < 10; owner++) {
        const named = schedules.map((one) => ({ ...one, name: `${owner}-${one.name}` }))
        await engine.declareSchedules({ owner: `app-${owner}`, schedules: named })
      }
      const before = store.committed.length
      await clock.advance(5 * SECOND)
      // The clock waits for a few turns of the event loop only.
      while ((await total(engine)) < 10_000) await settle()
      expect(await total(engine)).toBe(10_000)
      const ticks = store.committed.slice(before).map((ops) => ops.filter(({ kind }) => kind === 'schedule').length)
      expect(Math.max(...ticks)).toBe(TURN_SCHEDULES)
      expect(ticks.reduce((sum, n) => sum + n, 0)).toBe(10_000)
    }, 120_000)
  },
  [sqlite],
)
