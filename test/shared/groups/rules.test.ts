/** Layers of group rules. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type GroupRules,
  groupRulesSchema,
  groupSettingsSchema,
  groupUpdateInput,
} from '../../../shared/contracts/groups.ts'
import { declaredGroupRules, effectiveGroupRules, SCHEDULES_GROUP } from '../../../shared/groups/rules.ts'

const rate = fc.record({
  limit: fc.integer({ min: 1, max: 1_000_000 }),
  perMs: fc.integer({ min: 1, max: 86_400_000 }),
  burst: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
})

const layer: fc.Arbitrary<GroupRules> = fc.record(
  {
    concurrency: fc.option(fc.integer({ min: 1, max: 1_000 })),
    rate: fc.option(rate),
    window: fc.integer({ min: 1, max: 1_000 }),
    order: fc.constantFrom('fair', 'strict'),
    whenFull: fc.constantFrom('wait', 'skip', 'replace', 'cancel'),
    onDead: fc.constantFrom('continue', 'stop'),
    paused: fc.boolean(),
  },
  { requiredKeys: [] },
)

describe('effective rules of a group', () => {
  it('a group without rules is fair, unlimited and has a window of four', () => {
    expect(effectiveGroupRules()).toEqual({
      concurrency: null,
      rate: null,
      window: 4,
      order: 'fair',
      whenFull: 'wait',
      onDead: 'continue',
      paused: false,
    })
    expect(effectiveGroupRules(null, undefined, {})).toEqual(effectiveGroupRules())
  })

  it('the strongest layer that sets a rule counts, and null removes a limit', () => {
    const declared: GroupRules = { concurrency: 5, rate: { limit: 1, perMs: 1_000 }, window: 2, whenFull: 'skip' }
    expect(effectiveGroupRules({ concurrency: 3 }, { rate: null, concurrency: 9 }, declared)).toMatchObject({
      concurrency: 3,
      rate: null,
      window: 2,
      whenFull: 'skip',
    })
    expect(effectiveGroupRules({ concurrency: null }, declared)).toMatchObject({ concurrency: null, window: 2 })
    expect(effectiveGroupRules({ concurrency: undefined }, declared)).toMatchObject({ concurrency: 5 })
  })

  it('a rate without a burst starts jobs one by one', () => {
    expect(effectiveGroupRules({ rate: { limit: 10, perMs: 1_000 } }).rate).toEqual({
      limit: 10,
      perMs: 1_000,
      burst: 1,
    })
    expect(effectiveGroupRules({ rate: { limit: 10, perMs: 1_000, burst: 7 } }).rate?.burst).toBe(7)
  })

  it('the window is never larger than the concurrency, and four unless it is set', () => {
    expect(effectiveGroupRules({ concurrency: 2 }).window).toBe(2)
    expect(effectiveGroupRules({ concurrency: 9 }).window).toBe(4)
    expect(effectiveGroupRules({ concurrency: 9, window: 50 }).window).toBe(9)
    expect(effectiveGroupRules({ window: 50 }).window).toBe(50)
  })

  it('strict order means one job at a time, also for a key with a higher limit', () => {
    expect(effectiveGroupRules({ concurrency: 4 }, { order: 'strict' })).toMatchObject({ concurrency: 1, window: 1 })
    expect(effectiveGroupRules({ concurrency: null }, { order: 'strict' })).toMatchObject({ concurrency: 1, window: 1 })
  })

  it('each rule of the result comes from the first layer that sets it', () => {
    fc.assert(
      fc.property(fc.array(fc.option(layer), { maxLength: 4 }), (layers) => {
        const effective = effectiveGroupRules(...layers)
        const first = <Key extends keyof GroupRules>(key: Key) => layers.find((one) => one?.[key] !== undefined)?.[key]
        expect(effective.order).toBe(first('order') ?? 'fair')
        expect(effective.whenFull).toBe(first('whenFull') ?? 'wait')
        expect(effective.onDead).toBe(first('onDead') ?? 'continue')
        expect(effective.paused).toBe(first('paused') ?? false)
        expect(effective.concurrency).toBe(effective.order === 'strict' ? 1 : (first('concurrency') ?? null))
        expect(effective.window).toBeGreaterThanOrEqual(1)
        expect(effective.window).toBeLessThanOrEqual(effective.concurrency ?? 1_000)
        const wanted = first('rate') ?? null
        expect(effective.rate).toEqual(wanted && { ...wanted, burst: wanted.burst ?? 1 })
      }),
    )
  })

  it('layers keep their meaning as JSON', () => {
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 4 }), (layers) => {
        const stored: GroupRules[] = layers.map((one) => groupRulesSchema.parse(JSON.parse(JSON.stringify(one))))
        expect(effectiveGroupRules(...stored)).toEqual(effectiveGroupRules(...layers))
      }),
    )
  })
})

describe('declared rules of a group', () => {
  it('of several types that share a group, the first that sets a rule counts', () => {
    const declared = declaredGroupRules('shared', [{ concurrency: 2 }, { concurrency: 7, window: 1 }])
    expect(effectiveGroupRules(null, ...declared)).toMatchObject({ concurrency: 2, window: 1 })
  })

  it('the group of schedules has its own rules, which no type changes', () => {
    const declared = declaredGroupRules(SCHEDULES_GROUP, [{ concurrency: 9, window: 9 }])
    expect(effectiveGroupRules(null, ...declared)).toMatchObject({ concurrency: 1, window: 1 })
  })
})

describe('inputs of groups', () => {
  it('accept a JSON pointer as key, and refuse other texts', () => {
    for (const key of ['/tenantId', '/a/b/0', '/a~1b/~0c', '/ü']) {
      expect(groupSettingsSchema.safeParse({ key }).success, key).toBe(true)
    }
    for (const key of ['tenantId', '/', '', '$.tenantId', '/a//b', '/a~2b', `/${'x'.repeat(200)}`]) {
      expect(groupSettingsSchema.safeParse({ key }).success, key).toBe(false)
    }
  })

  it('refuse strict order with a higher concurrency, and onDead without strict order', () => {
    expect(groupSettingsSchema.safeParse({ order: 'strict', concurrency: 1 }).success).toBe(true)
    expect(groupSettingsSchema.safeParse({ order: 'strict', concurrency: 2 }).success).toBe(false)
    expect(groupSettingsSchema.safeParse({ onDead: 'stop' }).success).toBe(false)
    expect(groupSettingsSchema.safeParse({ onDead: 'stop', order: 'strict' }).success).toBe(true)
  })

  it('refuse a window above the concurrency of the same input', () => {
    for (const rules of [
      { concurrency: 2, window: 3 },
      { order: 'strict', window: 2 },
    ]) {
      const { error } = groupSettingsSchema.safeParse(rules)
      expect(error?.issues).toMatchObject([{ path: ['window'], message: expect.stringContaining('above concurrency') }])
      expect(groupUpdateInput.safeParse({ name: 'g', set: rules }).error?.issues).toMatchObject([
        { path: ['set', 'window'] },
      ])
    }
    for (const rules of [{ concurrency: 3, window: 3 }, { concurrency: null, window: 9 }, { window: 9 }]) {
      expect(groupSettingsSchema.safeParse(rules).success).toBe(true)
    }
  })

  it('refuse names that are reserved for the queue', () => {
    expect(groupSettingsSchema.safeParse({ name: SCHEDULES_GROUP }).success).toBe(false)
    expect(groupUpdateInput.safeParse({ name: SCHEDULES_GROUP, set: { paused: true } }).success).toBe(true)
  })

  it('refuse overrides of the group of scheduled jobs that would break overlap policies', () => {
    const update = (set: GroupRules, key?: string) => groupUpdateInput.safeParse({ name: SCHEDULES_GROUP, key, set })
    expect(update({ paused: true, rate: { limit: 1, perMs: 1_000 } }).success).toBe(true)
    for (const set of [{ concurrency: 5 }, { window: 2 }, { order: 'strict' as const }]) {
      expect(update(set).error?.issues[0]?.message).toContain('is fixed for the group of scheduled jobs')
    }
    expect(update({ concurrency: 5 }, 'nightly').success).toBe(false)
    expect(groupUpdateInput.safeParse({ name: SCHEDULES_GROUP, clear: ['concurrency'] }).success).toBe(true)
  })

  it('let one key override its concurrency, its rate and its pause only', () => {
    const ofKey = (set: GroupRules) => groupUpdateInput.safeParse({ name: 'g', key: 'a', set }).success
    expect(ofKey({ concurrency: 1, rate: null, paused: true })).toBe(true)
    for (const set of [{ window: 1 }, { order: 'strict' }, { whenFull: 'skip' }, { onDead: 'stop' }] as const) {
      expect(ofKey(set), Object.keys(set).join()).toBe(false)
    }
    expect(groupUpdateInput.safeParse({ name: 'g', key: 'a', clear: ['window'] }).success).toBe(false)
    expect(groupUpdateInput.safeParse({ name: 'g', resume: true }).success).toBe(false)
    expect(groupUpdateInput.safeParse({ name: 'g', key: 'a', resume: true }).success).toBe(true)
  })
})
