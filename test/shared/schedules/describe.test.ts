/** Rules in English, and the errors of expressions, zones and durations. */
import { expect, it } from 'vitest'
import { scheduleCreateInput, scheduleUpdateInput } from '../../../shared/contracts/schedules.ts'
import { describeRule } from '../../../shared/schedules/describe.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'
import { ruleOf } from './rule-of.ts'

it.each([
  ['0 3 * * *', 'Every day at 03:00, Europe/Berlin'],
  ['@daily', 'Every day at 00:00, Europe/Berlin'],
  ['0,30 9,17 * * *', 'Every day at 09:00, 09:30, 17:00, and 17:30, Europe/Berlin'],
  ['0 9 * * 1-5', 'Every weekday at 09:00, Europe/Berlin'],
  ['0 9 * * MON,FRI', 'Every Monday and Friday at 09:00, Europe/Berlin'],
  ['15 6 1 * *', 'On day 1 of every month at 06:15, Europe/Berlin'],
  ['15 6 L * *', 'On the last day of every month at 06:15, Europe/Berlin'],
  ['0 0 1 1 *', 'On day 1 of January at 00:00, Europe/Berlin'],
  ['* * * * *', 'Every minute, Europe/Berlin'],
  ['*/5 * * * *', 'Every 5 minutes, Europe/Berlin'],
  ['*/5 * * * 1-5', 'Every 5 minutes every weekday, Europe/Berlin'],
  ['10 * * * *', 'Every hour at minute 10, Europe/Berlin'],
  ['0 */6 * * *', 'Every 6 hours, Europe/Berlin'],
  ['*/10 * * * * *', 'Every 10 seconds, Europe/Berlin'],
  ['0 3 15W * MON#2', 'Cron 0 3 15W * MON#2, Europe/Berlin'],
])('the rule %s is described as %s', (cron, text) => {
  expect(describeRule(ruleOf({ cron, timezone: 'Europe/Berlin' }))).toBe(text)
})

it('an interval is described in its largest unit', () => {
  const texts = [60_000, 2_700_000, 86_400_000, 90_500].map((every) => describeRule(ruleOf({ every })))
  expect(texts).toEqual(['Every minute', 'Every 45 minutes', 'Every day', 'Every 1m 30s 500ms'])
  expect(describeRule(ruleOf({ every: 3_600_000, offset: 300_000 }))).toBe('Every hour, shifted by 5m')
})

const parse = (settings: object) =>
  parseInput(scheduleCreateInput, { name: 'a', type: 'report', payload: 1, ...settings })

it.each([
  [{ cron: '0 3 * *' }, 'cron: has 4 fields; a cron expression has five'],
  [{ cron: '61 * * * *' }, 'cron: is not a cron expression (Invalid value for minute: 61)'],
  [{ cron: '0 3 30 2 *' }, 'cron: 0 3 30 2 * matches no date; correct the day or the month'],
  [{ cron: '@dayly' }, 'cron: @dayly is not known; use @daily, or every for an interval'],
  [{ cron: '0 3 * * *', timezone: 'Europe/Berln' }, 'did you mean Europe/Berlin?'],
  [
    { cron: '0 3 * * *', timezone: 'Nowhere' },
    'timezone: Nowhere is not a time zone of the IANA database; use a name such as',
  ],
  [{ cron: '0 3 * * *', every: '5m' }, 'needs either cron or every'],
  [{}, 'needs either cron or every'],
  [{ every: 'often' }, 'every: must look like 30s, 10m, 1h30m or 7d'],
  [{ every: '1ms' }, 'every: must be at least 1 second'],
  [{ every: '400d' }, 'every: must be at most 366 days'],
  [{ every: '1h', spread: 'x' }, 'or be a percentage such as 50%'],
  [{ every: '1h', except: ['2026-02-30'] }, 'except.0: '],
  [{ every: '1h', offest: 1 }, 'did you mean offset?'],
])('the settings %o are refused with %s', (settings, message) => {
  expect(() => parse(settings)).toThrow(message)
})

it('durations and spaces of settings are normalised', () => {
  expect(parse({ cron: ' 0  3 * * * ', spread: '10m' })).toMatchObject({ cron: '0 3 * * *', spread: 600_000 })
  expect(parse({ every: '45m', offset: '30s', spread: '50 %' })).toMatchObject({
    every: 2_700_000,
    offset: 30_000,
    spread: '50%',
  })
  expect(parseInput(scheduleUpdateInput, { name: 'a', set: { every: '1h' } })).toMatchObject({
    set: { every: 3_600_000 },
  })
})
