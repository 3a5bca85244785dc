/** Ticks around changes of the clocks: gaps, repeated hours and wildcards, in zones with different rules. */
import { expect, it } from 'vitest'
import { previewTicks } from '../../../shared/schedules/describe.ts'
import { nextTick, nextTicks } from '../../../shared/schedules/rule.ts'
import { local, ruleOf } from './rule-of.ts'

const NY = 'America/New_York'
const BERLIN = 'Europe/Berlin'
const SANTIAGO = 'America/Santiago'
const LORD_HOWE = 'Australia/Lord_Howe'
const CAIRO = 'Africa/Cairo'

/** [what, cron, zone, after, ticks on the clocks of the zone with UTC]. */
const CASES: readonly (readonly [string, string, string, string, readonly string[]])[] = [
  [
    'a fixed time in a gap runs at the first instant after it',
    '30 2 * * *',
    NY,
    '2026-03-07T12:00Z',
    ['2026-03-08 03:00 07:00Z', '2026-03-09 02:30 06:30Z'],
  ],
  [
    'two fixed times in one gap run once',
    '0,30 2 * * *',
    NY,
    '2026-03-07T12:00Z',
    ['2026-03-08 03:00 07:00Z', '2026-03-09 02:00 06:00Z', '2026-03-09 02:30 06:30Z'],
  ],
  [
    'of a list of hours only the one in the gap moves',
    '0 2,14 * * *',
    NY,
    '2026-03-07T20:00Z',
    ['2026-03-08 03:00 07:00Z', '2026-03-08 14:00 18:00Z', '2026-03-09 02:00 06:00Z'],
  ],
  [
    'a wildcard minute in a gap hour has no tick',
    '*/30 2 * * *',
    NY,
    '2026-03-07T12:00Z',
    ['2026-03-09 02:00 06:00Z', '2026-03-09 02:30 06:30Z'],
  ],
  [
    'a wildcard hour skips the gap by real time',
    '30 * * * *',
    NY,
    '2026-03-08T05:45Z',
    ['2026-03-08 01:30 06:30Z', '2026-03-08 03:30 07:30Z'],
  ],
  [
    'a fixed time in a repeated hour runs at its first pass',
    '30 1 * * *',
    NY,
    '2026-10-31T12:00Z',
    ['2026-11-01 01:30 05:30Z', '2026-11-02 01:30 06:30Z'],
  ],
  [
    'a list of times in a repeated hour runs once',
    '0,30 1 * * *',
    NY,
    '2026-10-31T12:00Z',
    ['2026-11-01 01:00 05:00Z', '2026-11-01 01:30 05:30Z', '2026-11-02 01:00 06:00Z'],
  ],
  [
    'a list of times does not run again when asked within the second pass',
    '0,30 1 * * *',
    NY,
    '2026-11-01T06:10Z',
    ['2026-11-02 01:00 06:00Z'],
  ],
  [
    'a wildcard hour runs in both passes',
    '30 * * * *',
    NY,
    '2026-11-01T05:00Z',
    ['2026-11-01 01:30 05:30Z', '2026-11-01 01:30 06:30Z', '2026-11-01 02:30 07:30Z'],
  ],
  [
    'a fixed time in the gap of Berlin',
    '30 2 * * *',
    BERLIN,
    '2026-03-28T12:00Z',
    ['2026-03-29 03:00 01:00Z', '2026-03-30 02:30 00:30Z'],
  ],
  [
    'a fixed time in the repeated hour of Berlin',
    '30 2 * * *',
    BERLIN,
    '2026-10-24T12:00Z',
    ['2026-10-25 02:30 00:30Z', '2026-10-26 02:30 01:30Z'],
  ],
  [
    'a nickname follows the zone',
    '@daily',
    BERLIN,
    '2026-10-24T12:00Z',
    ['2026-10-25 00:00 22:00Z', '2026-10-26 00:00 23:00Z'],
  ],
  [
    'midnight does not exist in Santiago',
    '0 0 * * *',
    SANTIAGO,
    '2026-09-05T12:00Z',
    ['2026-09-06 01:00 04:00Z', '2026-09-07 00:00 03:00Z'],
  ],
  [
    'half past eleven occurs twice in Santiago',
    '30 23 * * *',
    SANTIAGO,
    '2026-04-04T12:00Z',
    ['2026-04-04 23:30 02:30Z', '2026-04-05 23:30 03:30Z'],
  ],
  [
    'a gap of 30 minutes on Lord Howe',
    '15 2 * * *',
    LORD_HOWE,
    '2026-10-02T20:00Z',
    ['2026-10-04 02:30 15:30Z', '2026-10-05 02:15 15:15Z'],
  ],
  [
    '30 repeated minutes on Lord Howe',
    '45 1 * * *',
    LORD_HOWE,
    '2026-04-03T20:00Z',
    ['2026-04-05 01:45 14:45Z', '2026-04-06 01:45 15:15Z'],
  ],
  [
    'midnight does not exist in Cairo',
    '0 0 * * *',
    CAIRO,
    '2026-04-23T12:00Z',
    ['2026-04-24 01:00 22:00Z', '2026-04-25 00:00 21:00Z'],
  ],
  [
    'half past eleven occurs twice in Cairo',
    '30 23 * * *',
    CAIRO,
    '2026-10-29T12:00Z',
    ['2026-10-29 23:30 20:30Z', '2026-10-30 23:30 21:30Z'],
  ],
]

it.each(CASES)('%s', (_what, cron, timezone, after, expected) => {
  const ticks = nextTicks(ruleOf({ cron, timezone }), Date.parse(after), expected.length)
  expect(ticks.map((at) => `${local(timezone, at)} ${new Date(at).toISOString().slice(11, 16)}Z`)).toEqual(expected)
})

it('the ticks of a year are strictly later in every zone', () => {
  for (const timezone of [NY, BERLIN, SANTIAGO, LORD_HOWE, CAIRO, 'Africa/Casablanca', 'Pacific/Apia']) {
    for (const cron of ['30 2 * * *', '0,30 1 * * *', '0 0 * * *', '0 */6 * * *', '15 2,23 * * *']) {
      const rule = ruleOf({ cron, timezone })
      let at = Date.parse('2026-01-01T00:00Z')
      for (
        let next = nextTick(rule, at);
        next !== null && next < Date.parse('2027-01-01T00:00Z');
        next = nextTick(rule, at)
      ) {
        expect(next).toBeGreaterThan(at)
        at = next
      }
    }
  }
})

it('a fixed time runs once on each of the days of a year', () => {
  for (const timezone of [NY, BERLIN, SANTIAGO, LORD_HOWE, CAIRO]) {
    const ticks = nextTicks(ruleOf({ cron: '30 1 * * *', timezone }), Date.parse('2026-01-01T18:00Z'), 365)
    expect(new Set(ticks.map((at) => local(timezone, at).slice(0, 10))).size).toBe(365)
  }
})

it('the preview names the ticks that a change of the clocks affects', () => {
  const notes = (cron: string, timezone: string, after: string) =>
    previewTicks(ruleOf({ cron, timezone }), 'a', Date.parse(after), 2).map(({ note }) => note)
  expect(notes('30 2 * * *', BERLIN, '2026-03-28T12:00Z')).toEqual([
    'The clocks go forward: the time of this tick does not exist on this day, so it runs at 03:00.',
    null,
  ])
  expect(notes('30 2 * * *', BERLIN, '2026-10-24T12:00Z')).toEqual([
    'The clocks go back: 02:30 occurs twice on this day.',
    null,
  ])
  expect(notes('0 3 * * *', BERLIN, '2026-03-28T12:00Z')).toEqual([null, null])
  expect(notes('30 2 * * *', 'UTC', '2026-03-28T12:00Z')).toEqual([null, null])
})
