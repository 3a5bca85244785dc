/** The catch-up plan against a model that enumerates all ticks, and the rules of bounds, spread and exceptions. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { dueTicks, MAX_MISSED, ON_TIME_MS } from '../../../shared/schedules/due-ticks.ts'
import { countTicks, dueAt, latestTick, nextTick, nextTicks } from '../../../shared/schedules/rule.ts'
import { CATCH_UPS } from '../../../shared/schedules/schedule.ts'
import { ruleOf } from './rule-of.ts'

const NOW = Date.UTC(2026, 4, 17, 9, 30, 5)

const rules = fc
  .record({
    every: fc.integer({ min: 1, max: 50 }).map((n) => n * MINUTE),
    offset: fc.integer({ min: 0, max: HOUR }),
    spread: fc.constantFrom(0, 30 * SECOND, '50%', '100%', 2 * HOUR),
    catchUp: fc.constantFrom(...CATCH_UPS),
    catchUpWindowMs: fc.integer({ min: 0, max: 6 * HOUR }),
  })
  .map(ruleOf)

it('the plan covers each due tick exactly once, as a model does', () => {
  fc.assert(
    fc.property(rules, fc.integer({ min: 0, max: 8 * HOUR }), fc.integer({ min: 1, max: 30 }), (rule, downMs, max) => {
      const first = nextTick(rule, NOW - downMs)
      if (first === null) throw new Error('an interval has no end')
      const ticks: number[] = []
      for (let at: number | null = first; at !== null && dueAt(rule, 'x', at) <= NOW; at = nextTick(rule, at))
        ticks.push(at)
      const plan = dueTicks(rule, { name: 'x', nextTickAt: first, lastTickAt: null, runs: 0 }, NOW, max)
      if (ticks.length === 0) {
        expect(plan).toBeNull()
        return
      }
      if (!plan) throw new Error('a tick is due')
      const covered = ticks.filter((at) => at <= plan.lastTickAt)
      const enqueued = plan.ticks.filter(({ outcome }) => outcome === 'enqueued')
      const missed = plan.ticks.filter(({ outcome }) => outcome === 'missed')
      const missedCount =
        rule.catchUp === 'all'
          ? missed.reduce((sum, one) => sum + one.missed, 0)
          : plan.ticks.reduce((sum, one) => sum + one.missed, 0)
      expect(enqueued.length + Math.min(MAX_MISSED, missedCount)).toBe(covered.length)
      expect(plan.nextTickAt).toBe(nextTick(rule, plan.lastTickAt))
      expect(plan.nextRunAt).toBe(plan.nextTickAt === null ? null : dueAt(rule, 'x', plan.nextTickAt))
      if (rule.catchUp === 'all') expect(enqueued.length).toBeLessThanOrEqual(max)
      else expect(plan.lastTickAt).toBe(ticks.at(-1))
      const windowMs = Math.max(ON_TIME_MS, rule.catchUp === 'none' ? 0 : rule.catchUpWindowMs)
      if (rule.catchUp !== 'all') for (const one of enqueued) expect(NOW - one.dueAt).toBeLessThanOrEqual(windowMs)
    }),
    { numRuns: 500 },
  )
})

it('the spread of a tick is stable and ends before the next tick', () => {
  fc.assert(
    fc.property(rules, fc.string(), fc.integer({ min: 0, max: 10 * DAY }), (rule, name, ago) => {
      const at = nextTick(rule, NOW - ago) ?? 0
      const next = nextTick(rule, at) ?? 0
      expect(dueAt(rule, name, at)).toBe(dueAt(rule, name, at))
      expect(dueAt(rule, name, at)).toBeGreaterThanOrEqual(at)
      expect(dueAt(rule, name, at)).toBeLessThan(next)
    }),
  )
})

it('the latest tick equals the last of an enumeration', () => {
  for (const cron of ['* * * * *', '0 3 * * *', '30 9 * * 1-5', '*/7 9-11 * * *']) {
    const rule = ruleOf({ cron, timezone: 'Europe/Berlin' })
    const first = nextTick(rule, NOW - 3 * DAY) ?? 0
    const all = nextTicks(rule, first - 1, 10_000).filter((at) => at <= NOW)
    expect(latestTick(rule, first, NOW)).toBe(all.at(-1))
    expect(countTicks(rule, first, all.at(-1) ?? 0, 10_000)).toBe(all.length - 1)
  }
})

it('the spread of many schedules covers the whole time', () => {
  const rule = ruleOf({ cron: '0 * * * *', spread: 10 * MINUTE })
  const at = nextTick(rule, NOW) ?? 0
  const minutes = new Set(
    Array.from({ length: 500 }, (_, n) => Math.floor((dueAt(rule, `customer-${n}`, at) - at) / MINUTE)),
  )
  expect(minutes).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
})

it('bounds and exceptions leave ticks out', () => {
  const days = (settings: Parameters<typeof ruleOf>[0]) =>
    nextTicks(ruleOf({ cron: '0 3 * * *', ...settings }), Date.UTC(2026, 0, 1), 3).map((at) =>
      new Date(at).toISOString(),
    )
  expect(days({ startsAt: Date.UTC(2026, 0, 5, 3) })[0]).toBe('2026-01-05T03:00:00.000Z')
  expect(days({ endsAt: Date.UTC(2026, 0, 2, 3) })).toEqual(['2026-01-01T03:00:00.000Z'])
  expect(days({ except: ['2026-01-01', Date.UTC(2026, 0, 2, 3)] })[0]).toBe('2026-01-03T03:00:00.000Z')
  const everySecond = ruleOf({ cron: '* * * * * *', except: ['2026-01-01'], timezone: 'America/New_York' })
  expect(nextTick(everySecond, Date.UTC(2026, 0, 1, 12))).toBe(Date.UTC(2026, 0, 2, 5))
})

it('an interval is aligned to the epoch and shifted by its offset', () => {
  const rule = ruleOf({ every: 45 * MINUTE, offset: 5 * MINUTE })
  expect(nextTicks(rule, 0, 2)).toEqual([5 * MINUTE, 50 * MINUTE])
  expect(nextTick(rule, 5 * MINUTE - 1)).toBe(5 * MINUTE)
  expect((nextTick(rule, NOW) ?? 0) % (45 * MINUTE)).toBe(5 * MINUTE)
})

it('catch-up enqueues one job for all missed ticks, none, or each of them', () => {
  const state = { name: 'x', nextTickAt: NOW - 10 * MINUTE - 5 * SECOND, lastTickAt: 7, runs: 0 }
  const plan = (catchUp: (typeof CATCH_UPS)[number], max = 100) =>
    dueTicks(ruleOf({ every: 5 * MINUTE, catchUp }), state, NOW + 2 * MINUTE, max)?.ticks.map(
      ({ outcome, missed, previous }) => [outcome, missed, previous],
    )
  expect(plan('one')).toEqual([['enqueued', 2, 7]])
  expect(plan('none')).toEqual([['missed', 3, 7]])
  expect(plan('all')?.map(([outcome]) => outcome)).toEqual(['enqueued', 'enqueued', 'enqueued'])
  expect(plan('all', 2)).toHaveLength(2)
})
