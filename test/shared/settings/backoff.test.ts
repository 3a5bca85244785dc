/** Backoff delays and their schema. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY, HOUR, limits, MINUTE, SECOND } from '../../../shared/limits.ts'
import { type Backoff, backoffSchema, commandBackoff, DEFAULT_BACKOFF } from '../../../shared/settings/backoff.ts'
import { backoffDelayMs } from '../../../shared/settings/backoff-delay.ts'

const NO_JITTER = 0.5
const ALMOST_ONE = 1 - Number.EPSILON

const backoffs: fc.Arbitrary<Backoff> = fc.oneof(
  fc.record({
    kind: fc.constant('fixed' as const),
    baseMs: fc.integer({ min: 0, max: 30 * DAY }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('linear' as const),
    baseMs: fc.integer({ min: 0, max: 30 * DAY }),
    capMs: fc.integer({ min: 0, max: 30 * DAY }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('exponential' as const),
    baseMs: fc.integer({ min: 0, max: 30 * DAY }),
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
    capMs: fc.integer({ min: 0, max: 30 * DAY }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)
const attempts = fc.integer({ min: 1, max: limits.attempts })
const randoms = fc.double({ min: 0, max: ALMOST_ONE, noNaN: true })

describe('backoffDelayMs', () => {
  it.each([
    [1, 10 * SECOND],
    [2, 40 * SECOND],
    [3, 160 * SECOND],
    [4, 640 * SECOND],
    [5, 2_560 * SECOND],
    [6, 6 * HOUR],
    [7, 6 * HOUR],
    [50, 6 * HOUR],
    [1_000, 6 * HOUR],
  ])('waits after attempt %i for %i ms by default', (attempt, expected) => {
    expect(backoffDelayMs(DEFAULT_BACKOFF, attempt, NO_JITTER)).toBe(expected)
  })

  it('spreads the default by a fifth either way', () => {
    expect(backoffDelayMs(DEFAULT_BACKOFF, 1, 0)).toBe(8 * SECOND)
    expect(backoffDelayMs(DEFAULT_BACKOFF, 1, ALMOST_ONE)).toBe(12 * SECOND)
  })

  it('never exceeds the cap of six hours, even with jitter', () => {
    expect([6, 7].map((attempt) => backoffDelayMs(DEFAULT_BACKOFF, attempt, ALMOST_ONE))).toEqual([6 * HOUR, 6 * HOUR])
    expect(backoffDelayMs(DEFAULT_BACKOFF, 6, 0)).toBe(4.8 * HOUR)
  })

  it('grows up to the cap without capFrom', () => {
    const { capFrom: _, ...plain } = DEFAULT_BACKOFF
    expect(backoffDelayMs(plain, 6, NO_JITTER)).toBe(10_240 * SECOND)
  })

  it('keeps a fixed delay the same at every attempt', () => {
    const fixed: Backoff = { kind: 'fixed', baseMs: 5 * SECOND, jitter: 0 }
    expect([1, 2, 99].map((attempt) => backoffDelayMs(fixed, attempt, 0))).toEqual([5_000, 5_000, 5_000])
  })

  it('grows a linear delay by its base up to its cap', () => {
    const linear: Backoff = { kind: 'linear', baseMs: 30 * SECOND, capMs: 2 * MINUTE, jitter: 0 }
    expect([1, 2, 3, 4, 5].map((attempt) => backoffDelayMs(linear, attempt, 0))).toEqual([
      30_000, 60_000, 90_000, 120_000, 120_000,
    ])
  })

  it.each([
    [2, [2, 4, 8, 16, 32]],
    [3, [3, 9, 27, 81, 243]],
    [1, [1, 1, 1, 1, 1]],
    [1.5, [1.5, 2.25, 3.375, 5.0625, 7.59375]],
  ])('uses powers of base %d in seconds for a command', (base, seconds) => {
    const backoff = commandBackoff(base)
    expect(backoffSchema.parse(backoff)).toEqual(backoff)
    const waits = seconds.map((_, index) => backoffDelayMs(backoff, index + 1, 0.9))
    expect(waits).toEqual(seconds.map((wait) => Math.round(wait * SECOND)))
  })

  it('limits the delay of a command to 30 days', () => {
    expect([21, 22, 1_000].map((attempt) => backoffDelayMs(commandBackoff(2), attempt, 0))).toEqual([
      2 ** 21 * SECOND,
      30 * DAY,
      30 * DAY,
    ])
    expect(backoffSchema.safeParse(commandBackoff(100)).success).toBe(true)
  })

  it('treats an attempt below one as the first', () => {
    expect(backoffDelayMs(DEFAULT_BACKOFF, 0, NO_JITTER)).toBe(10 * SECOND)
  })

  it('is a whole number of milliseconds within the jitter of the plain delay, whatever the settings', () => {
    fc.assert(
      fc.property(backoffs, attempts, randoms, (backoff, attempt, random) => {
        const plain = backoffDelayMs({ ...backoff, jitter: 0 }, attempt, random)
        const delay = backoffDelayMs(backoff, attempt, random)
        expect(Number.isSafeInteger(delay)).toBe(true)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(Math.abs(delay - plain)).toBeLessThanOrEqual(plain * backoff.jitter + 1)
      }),
    )
  })

  it('never shrinks from one attempt to the next and never passes the cap before jitter', () => {
    fc.assert(
      fc.property(backoffs, attempts, (backoff, attempt) => {
        const plain = { ...backoff, jitter: 0 }
        const delay = backoffDelayMs(plain, attempt, 0)
        expect(backoffDelayMs(plain, attempt + 1, 0)).toBeGreaterThanOrEqual(delay)
        if (plain.kind !== 'fixed') expect(delay).toBeLessThanOrEqual(plain.capMs)
      }),
    )
  })

  it('is 0 for base 0 at any attempt', () => {
    const none: Backoff = { kind: 'exponential', baseMs: 0, factor: 100, capMs: HOUR, jitter: 0.2 }
    expect([1, 2, 154, 200, 1_000].map((attempt) => backoffDelayMs(none, attempt, 0.3))).toEqual([0, 0, 0, 0, 0])
  })
})

describe('backoffSchema', () => {
  it('completes each kind with its defaults', () => {
    const { capFrom: _, ...exponential } = DEFAULT_BACKOFF
    expect(backoffSchema.parse({ kind: 'exponential' })).toEqual(exponential)
    expect(backoffSchema.parse({ kind: 'linear' })).toEqual({
      kind: 'linear',
      baseMs: 30 * SECOND,
      capMs: 6 * HOUR,
      jitter: 0,
    })
    expect(backoffSchema.parse({ kind: 'fixed', baseMs: 1 })).toEqual({ kind: 'fixed', baseMs: 1, jitter: 0 })
  })

  it.each([
    { kind: 'fixed' },
    { kind: 'sometimes', baseMs: 1 },
    { kind: 'fixed', baseMs: -1 },
    { kind: 'fixed', baseMs: 1.5 },
    { kind: 'fixed', baseMs: 30 * DAY + 1 },
    { kind: 'fixed', baseMs: 1, jitter: 1.01 },
    { kind: 'fixed', baseMs: 1, jitter: -0.01 },
    { kind: 'fixed', baseMs: 1, capMs: 1 },
    { kind: 'exponential', factor: 0.99 },
    { kind: 'exponential', factor: 100.1 },
    { kind: 'exponential', capMs: 30 * DAY + 1 },
    { kind: 'linear', factor: 2 },
  ])('refuses %o', (input) => {
    expect(backoffSchema.safeParse(input).success).toBe(false)
  })

  it('accepts the largest values it allows', () => {
    const largest = { kind: 'exponential', baseMs: 30 * DAY, factor: 100, capMs: 30 * DAY, jitter: 1 }
    expect(backoffSchema.parse(largest)).toEqual(largest)
  })
})
