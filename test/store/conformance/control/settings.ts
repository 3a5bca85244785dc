/** Settings of types and of the queue: declared, overridden, effective. */
import { describe, expect, it } from 'vitest'
import type { TypeSettings } from '../../../../shared/settings/settings.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { eachKit, only } from '../kit.ts'

const declared: TypeSettings = {
  paused: false,
  rate: 11,
  burst: 12,
  maxConcurrency: 13,
  maxAttempts: 14,
  timeoutMs: 15_000,
  backoff: { kind: 'fixed', baseMs: 16, jitter: 0.17 },
  retentionMs: 18_000,
  crashBudget: 19,
  payloadSchema: { type: 'object' },
  resultSchema: null,
}

export function describeSettings(harness: StoreHarness): void {
  describe('the settings of a type', () => {
    const kit = eachKit(harness)
    const type = async (name = 'report') => only((await kit().store.types()).filter((row) => row.name === name))

    it('type settings are stored as declared', async () => {
      await kit().advance(5)
      await kit().declare('report', declared)
      const row = await type()
      expect(row).toMatchObject({ name: 'report', kind: 'job', declared, override: {} })
      expect([row.createdAt, row.updatedAt]).toEqual([START + 5, START + 5])
      expect(row.effective).toEqual({
        paused: false,
        rate: 11,
        burst: 12,
        maxConcurrency: 13,
        maxAttempts: 14,
        timeoutMs: 15_000,
        backoff: { kind: 'fixed', baseMs: 16, jitter: 0.17 },
        retentionMs: 18_000,
        crashBudget: 19,
        leaseMs: 15_000,
        group: null,
      })
    })

    it('declaring a type again replaces its settings and keeps its overrides', async () => {
      await kit().declare('report', { maxAttempts: 7, crashBudget: 8 })
      await kit().override('report', { crashBudget: 9 })
      await kit().advance(5)
      await kit().declare('report', { maxAttempts: 6 })
      expect(await type()).toMatchObject({ declared: { maxAttempts: 6 }, override: { crashBudget: 9 } })
      expect((await type()).declared).not.toHaveProperty('crashBudget')
    })

    it('type settings are overridden by key and fall back when cleared', async () => {
      await kit().declare('report', { maxAttempts: 7, rate: 5 })
      await kit().override('report', { maxAttempts: 20, rate: null })
      await kit().override('report', { paused: true })
      expect((await type()).override).toEqual({ maxAttempts: 20, rate: null, paused: true })
      expect((await type()).effective).toMatchObject({ maxAttempts: 20, rate: null, paused: true })
      await kit().override('report', { crashBudget: 4 }, ['maxAttempts', 'paused'])
      expect((await type()).override).toEqual({ rate: null, crashBudget: 4 })
      expect((await type()).effective).toMatchObject({ maxAttempts: 7, paused: false, crashBudget: 4 })
    })

    it('type settings default to those of the queue', async () => {
      await kit().add()
      await kit().run({
        kind: 'putSettings',
        set: { maxAttempts: 21, crashBudget: 22, retentionMs: 23, leaseMs: 24_000 },
        clear: [],
        actor: 'operator',
      })
      expect((await type()).effective).toMatchObject({
        maxAttempts: 21,
        crashBudget: 22,
        retentionMs: 23,
        timeoutMs: null,
        leaseMs: 24_000,
      })
    })

    it('settings of an unknown type cannot be overridden', async () => {
      const error = await kit().refused({ kind: 'overrideType', name: 'nope', set: {}, clear: [], actor: 'operator' })
      expect(error.code).toBe('NOT_FOUND')
      expect(await kit().store.types()).toEqual([])
    })

    it('settings of several types are declared all or none', async () => {
      await kit().add({ type: 'topic', kind: 'message' })
      const error = await kit().refused({
        kind: 'declareTypes',
        types: [
          { name: 'fresh', kind: 'job', declared: {} },
          { name: 'topic', kind: 'job', declared: { maxAttempts: 2 } },
        ],
      })
      expect(error.code).toBe('WRONG_STATE')
      expect((await kit().store.types()).map(({ name, declared }) => [name, declared])).toEqual([['topic', {}]])
      await kit().add({ type: 'fresh', kind: 'command' })
      expect(await type('fresh')).toMatchObject({ kind: 'command' })
    })

    it('settings changed through one connection apply to another', async () => {
      const other = await kit().another()
      await other.add({ maxAttempts: null })
      await kit().override('report', { maxAttempts: 17 })
      expect((await other.claimOne()).maxAttempts).toBe(17)
    })
  })

  describe('the settings of the queue', () => {
    const kit = eachKit(harness)

    it('queue settings are stored and cleared by key', async () => {
      expect(await kit().store.settings()).toEqual({})
      const own = { max_retries: 5, backoff_base: 2.5 }
      const set = { paused: true, rate: null, burst: 6, maxAttempts: 7, leaseMs: 8_000, crashBudget: 2, ...own }
      await kit().run({ kind: 'putSettings', set, clear: [], actor: 'operator' })
      expect(await kit().store.settings()).toEqual(set)
      await kit().run({ kind: 'putSettings', set: { burst: 9 }, clear: ['paused', 'backoff'], actor: 'operator' })
      const { paused: _gone, ...kept } = set
      expect(await kit().store.settings()).toEqual({ ...kept, burst: 9 })
    })
  })

  describe('the audit trail', () => {
    const kit = eachKit(harness)

    it('the audit trail lists who changed which setting, newest first', async () => {
      await kit().add()
      await kit().advance(10)
      await kit().run({
        kind: 'overrideType',
        name: 'report',
        set: { maxAttempts: 5 },
        clear: ['paused'],
        actor: 'anna',
      })
      await kit().advance(10)
      await kit().run({ kind: 'putSettings', set: { paused: true }, clear: ['rate'], actor: 'boris' })
      const rows = await kit().store.audit({ target: null, before: null, limit: 10 })
      expect(rows.map(({ id: _id, action: _action, ...row }) => row)).toEqual([
        { at: START + 20, actor: 'boris', target: null, details: { set: { paused: true }, clear: ['rate'] } },
        { at: START + 10, actor: 'anna', target: 'report', details: { set: { maxAttempts: 5 }, clear: ['paused'] } },
      ])
    })

    it('the audit trail is read by target and in pages', async () => {
      for (const [action, target] of [
        ['one', 'a'],
        ['two', 'b'],
        ['three', 'a'],
        ['four', null],
      ] as const) {
        await kit().run({ kind: 'audit', actor: 'anna', action, target, details: { n: 1 } })
      }
      const ofA = await kit().store.audit({ target: 'a', before: null, limit: 10 })
      expect(ofA.map(({ action }) => action)).toEqual(['three', 'one'])
      const first = await kit().store.audit({ target: null, before: null, limit: 3 })
      const second = await kit().store.audit({ target: null, before: first.at(-1)?.id ?? null, limit: 3 })
      expect([...first, ...second].map(({ action }) => action)).toEqual(['four', 'three', 'two', 'one'])
    })
  })
}
