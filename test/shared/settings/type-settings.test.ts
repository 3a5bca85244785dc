/** Effective settings: override, then declared, then queue-wide, then environment. */
import { describe, expect, it } from 'vitest'
import { DAY, limits, MINUTE } from '../../../shared/limits.ts'
import { DEFAULT_BACKOFF } from '../../../shared/settings/backoff.ts'
import {
  COMMAND_DEFAULTS,
  DEFAULTS,
  effectiveSettings,
  queueSettingsSchema,
  typeSettingsSchema,
} from '../../../shared/settings/settings.ts'

const fixed = (baseMs: number) => ({ kind: 'fixed', baseMs, jitter: 0 }) as const

describe('effectiveSettings', () => {
  it('falls back to the environment', () => {
    expect(effectiveSettings({}, {}, {}, DEFAULTS)).toEqual({
      paused: false,
      rate: null,
      burst: null,
      maxConcurrency: null,
      maxAttempts: 3,
      timeoutMs: null,
      backoff: DEFAULT_BACKOFF,
      retentionMs: 30 * DAY,
      crashBudget: 3,
      leaseMs: 30 * MINUTE,
      group: null,
    })
  })

  it.each([
    ['maxAttempts', 11, 12, 13],
    ['retentionMs', 21, 22, 23],
    ['crashBudget', 31, 32, 33],
    ['backoff', fixed(41), fixed(42), fixed(43)],
  ] as const)('takes %s from the first layer that sets it', (key, settings, declared, override) => {
    const through = (...layers: [object, object, object]) => effectiveSettings(...layers, DEFAULTS)[key]
    expect(through({}, {}, { [key]: settings })).toEqual(settings)
    expect(through({ [key]: declared }, {}, { [key]: settings })).toEqual(declared)
    expect(through({ [key]: declared }, { [key]: override }, { [key]: settings })).toEqual(override)
    expect(through({}, { [key]: override }, {})).toEqual(override)
  })

  it('does not apply queue-wide pause and rate to a type', () => {
    const effective = effectiveSettings({}, {}, { paused: true, rate: 5, burst: 9 }, DEFAULTS)
    expect([effective.paused, effective.rate, effective.burst]).toEqual([false, null, null])
  })

  it('removes a declared limit by a null override', () => {
    const declared = { rate: 5, burst: 6, maxConcurrency: 7, timeoutMs: 8_000, paused: true }
    const off = { rate: null, maxConcurrency: null, timeoutMs: null, paused: false }
    expect(effectiveSettings(declared, off, {}, DEFAULTS)).toMatchObject({
      rate: null,
      burst: null,
      maxConcurrency: null,
      timeoutMs: null,
      paused: false,
      leaseMs: DEFAULTS.leaseMs,
    })
  })

  it.each([
    [0.5, undefined, 1],
    [2.5, undefined, 3],
    [10, undefined, 10],
    [10, 4, 4],
    [10, null, 10],
  ])('resolves rate %d with burst %s to burst %d', (rate, burst, expected) => {
    const declared = burst === undefined ? { rate } : { rate, burst }
    expect(effectiveSettings(declared, {}, {}, DEFAULTS).burst).toBe(expected)
  })

  it('uses the timeout of the type as lease, else the queue-wide lease, else the environment', () => {
    expect(effectiveSettings({ timeoutMs: 5_000 }, {}, { leaseMs: 6_000 }, DEFAULTS).leaseMs).toBe(5_000)
    expect(effectiveSettings({}, {}, { leaseMs: 6_000 }, DEFAULTS)).toMatchObject({ leaseMs: 6_000, timeoutMs: null })
  })
})

describe('setting schemas', () => {
  const BOUNDS = [
    ['rate', limits.rate.min, limits.rate.max, 0.0001],
    ['burst', 1, limits.rate.max, 1],
    ['maxAttempts', 1, limits.attempts, 1],
    ['retentionMs', 0, limits.retentionMs, 1],
    ['crashBudget', 1, limits.crashBudget, 1],
  ] as const

  it.each(BOUNDS)('bound %s below and above', (key, min, max, step) => {
    for (const schema of [typeSettingsSchema, queueSettingsSchema]) {
      expect(schema.safeParse({ [key]: min }).success).toBe(true)
      expect(schema.safeParse({ [key]: max }).success).toBe(true)
      expect(schema.safeParse({ [key]: min - step }).success).toBe(false)
      expect(schema.safeParse({ [key]: max + step }).success).toBe(false)
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, '1', [1], true]) {
        expect(schema.safeParse({ [key]: bad }).success).toBe(false)
      }
    }
  })

  it('bound the settings that only one of them has', () => {
    expect(typeSettingsSchema.safeParse({ maxConcurrency: limits.concurrency }).success).toBe(true)
    expect(typeSettingsSchema.safeParse({ maxConcurrency: limits.concurrency + 1 }).success).toBe(false)
    expect(typeSettingsSchema.safeParse({ maxConcurrency: 0 }).success).toBe(false)
    expect(typeSettingsSchema.safeParse({ timeoutMs: limits.timeoutMs.min }).success).toBe(true)
    expect(typeSettingsSchema.safeParse({ timeoutMs: limits.timeoutMs.min - 1 }).success).toBe(false)
    expect(typeSettingsSchema.safeParse({ timeoutMs: limits.timeoutMs.max + 1 }).success).toBe(false)
    expect(queueSettingsSchema.safeParse({ leaseMs: limits.leaseMs.max }).success).toBe(true)
    expect(queueSettingsSchema.safeParse({ leaseMs: limits.leaseMs.max + 1 }).success).toBe(false)
    expect(queueSettingsSchema.safeParse({ leaseMs: limits.leaseMs.min - 1 }).success).toBe(false)
  })

  it('bound the settings of commands', () => {
    for (const good of [
      { max_retries: 0 },
      { max_retries: limits.attempts - 1 },
      { backoff_base: 1 },
      { backoff_base: 2.5 },
    ]) {
      expect(queueSettingsSchema.parse(good)).toEqual(good)
      expect(typeSettingsSchema.safeParse(good).success).toBe(false)
    }
    for (const bad of [
      { max_retries: -1 },
      { max_retries: 1.5 },
      { max_retries: limits.attempts },
      { backoff_base: 0.99 },
      { backoff_base: 101 },
    ]) {
      expect(queueSettingsSchema.safeParse(bad).success).toBe(false)
    }
    expect(queueSettingsSchema.parse(COMMAND_DEFAULTS)).toEqual({ max_retries: 3, backoff_base: 2 })
  })

  it('do not apply settings of commands to other jobs', () => {
    const settings = { max_retries: 9, backoff_base: 9 }
    expect(effectiveSettings({}, {}, settings, DEFAULTS)).toEqual(effectiveSettings({}, {}, {}, DEFAULTS))
  })

  it('reject unknown keys', () => {
    expect(typeSettingsSchema.safeParse({ pause: true }).success).toBe(false)
    expect(queueSettingsSchema.safeParse({ maxConcurrency: 5 }).success).toBe(false)
  })

  it.each([
    ['half a character', { title: '\ud800' }, false],
    ['a NUL', { 'a\u0000': 1 }, false],
    ['65 levels', nested(65), false],
    ['64 levels', nested(64), true],
    ['too many bytes', { title: 'x'.repeat(limits.schemaBytes) }, false],
    ['an ordinary schema', { type: 'object', properties: { to: { type: 'string' } } }, true],
  ])('validate a JSON Schema with %s', (_, schema, isFine) => {
    const judged = [{ payloadSchema: schema }, { resultSchema: schema }].map((one) => typeSettingsSchema.safeParse(one))
    expect(judged.map(({ success }) => success)).toEqual([isFine, isFine])
  })
})

/** An object with the given depth. */
function nested(depth: number): Record<string, unknown> {
  return depth === 1 ? {} : { inner: nested(depth - 1) }
}
