/** The one duration parser and formatter, with every spelling that the CLI, the dashboard and the SDK accept. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DURATION_RULE, durationMs, formatDuration, parseDuration } from '../../shared/duration.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../shared/limits.ts'

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90 * SECOND],
    ['30 sec', 30 * SECOND],
    ['5m', 5 * MINUTE],
    ['10 min', 10 * MINUTE],
    ['1h', HOUR],
    ['1h30m', 90 * MINUTE],
    ['1h 30m', 90 * MINUTE],
    ['1h 30min 5sec', 90 * MINUTE + 5 * SECOND],
    ['1.5h', 90 * MINUTE],
    ['1.5 h', 90 * MINUTE],
    ['  7d ', 7 * DAY],
    ['14D', 14 * DAY],
    ['2w', 14 * DAY],
    ['1w2d', 9 * DAY],
    ['0.0004s', 0],
    ['0', 0],
    ['0s', 0],
  ])('reads %j as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
    expect(parseDuration(text, { plainNumber: 's' })).toBe(ms)
  })

  it.each([
    ['90', 's', 90 * SECOND],
    ['1.5', 's', 1_500],
    ['90', 'ms', 90],
  ] as const)('reads the plain number %j in the unit that the caller allows (%s)', (text, plainNumber, ms) => {
    expect(parseDuration(text, { plainNumber })).toBe(ms)
  })

  it.each(['90', '1.5'])('refuses the plain number %j where the caller allows none', (text) => {
    expect(parseDuration(text)).toBeNull()
  })

  it.each([
    ...['', ' ', 'soon', 'm', 'h', '10x', '5mm', '10m!', '3 weeks', '1h soon', '1h 30', '-5m', '-5s', '1e3s', '1.h'],
    ...['Infinity', 'NaN', '0x10', `${'9'.repeat(400)}s`, 'constructor', '1constructor'],
  ])('refuses %j', (text) => {
    expect([parseDuration(text), parseDuration(text, { plainNumber: 's' })]).toEqual([null, null])
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0s', '0s'],
    [1, '1ms', '1ms'],
    [250, '250ms', '250ms'],
    [90 * SECOND, '1m 30s', '1m30s'],
    [90 * MINUTE, '1h 30m', '1h30m'],
    [14 * DAY, '14d', '14d'],
    [DAY + 1, '1d 1ms', '1d1ms'],
  ])('writes %i ms as %j, or as %j without spaces', (ms, spaced, compact) => {
    expect([formatDuration(ms), formatDuration(ms, '')]).toEqual([spaced, compact])
  })

  it('loses no millisecond: the parser reads back what was formatted', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 * 365 * DAY }), fc.constantFrom(' ' as const, '' as const), (ms, separator) => {
        expect(parseDuration(formatDuration(ms, separator))).toBe(ms)
      }),
    )
  })
})

describe('durationMs', () => {
  it.each([
    [0, 0],
    [1_500.4, 1_500],
    ['250ms', 250],
    ['90s', 90 * SECOND],
    ['1.5h', 90 * MINUTE],
    ['2d', 2 * DAY],
  ] as const)('reads %s as %i ms', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '1e3s', '-1h'] as const)('throws for %s', (duration) => {
    expect(() => durationMs(duration)).toThrow(
      new RangeError(`${duration} is not a duration: it ${DURATION_RULE}, or be a number of milliseconds.`),
    )
  })
})
