/** Rules that operators override, for a group or one key. */
import { describe, expect, it } from 'vitest'
import { MAX_HANDED_ON } from '../../../../server/store/decisions/group-admission.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { admitBlocked, complete, updateGroup } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupOverrides(harness: StoreHarness): void {
  describe('overridden rules', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit
    const keyOf = (key: string) => kit().store.groupKey({ name: 'report', key })

    it('a raised limit of a group admits blocked jobs of all its keys', async () => {
      await group().rules({ concurrency: 1 })
      await kit().enqueue(...ofKey('a', 5), ...ofKey('b', 2))
      await group().update({ set: { concurrency: 3 } })
      expect([await group().counts('a'), await group().counts('b')]).toEqual([
        [3, 0, 2],
        [2, 0, 0],
      ])
      expect(await kit().store.groupOverrides()).toEqual({ report: { concurrency: 3 } })
    })

    it('a raised limit of one key admits its jobs only', async () => {
      await group().rules({ concurrency: 1 })
      await kit().enqueue(...ofKey('a', 5), ...ofKey('b', 2))
      await group().update({ key: 'a', set: { concurrency: 3 } })
      expect([await group().counts('a'), await group().counts('b')]).toEqual([
        [3, 0, 2],
        [1, 0, 1],
      ])
      expect(await keyOf('a')).toMatchObject({ override: { concurrency: 3 } })
      expect(await keyOf('b')).toMatchObject({ override: {} })
    })

    it('blocked jobs of many keys are admitted in steps', async () => {
      await group().rules({ concurrency: 1 })
      const keys = Array.from({ length: 25 }, (_, n) => `key-${n}`)
      for (const key of keys) await kit().enqueue(...ofKey(key, 2))
      await kit().run(updateGroup({ set: { concurrency: 2 } }))
      let steps = 1
      while ((await kit().run({ kind: 'admitBlocked', limit: 10 })).more && steps < 100) steps += 1
      expect(steps).toBeGreaterThan(1)
      expect(steps).toBeLessThan(100)
      for (const key of keys) expect(await group().counts(key)).toEqual([2, 0, 0])
    })

    it('a pass goes on behind keys of another group that it leaves as they are', async () => {
      await kit().declare('limited', { group: { rate: { limit: 1, perMs: 60_000 } } })
      await group().rules({ concurrency: 1 })
      for (const key of ['a', 'b', 'c']) await kit().enqueue(...ofKey(key, 2, { type: 'limited' }))
      await kit().claim({ limit: 3 })
      await kit().advance(1)
      await kit().enqueue(...ofKey('z', 3))
      await kit().advance(1)
      await kit().run(updateGroup({ set: { concurrency: 2 } }))
      while ((await kit().run({ kind: 'admitBlocked', limit: 2 })).more) await kit().advance(1)
      expect(await group().counts('z')).toEqual([2, 0, 1])
    })

    it('a limit that is raised while a pass over many keys is under way holds for all of them', async () => {
      await group().rules({ concurrency: 1 })
      const keys = Array.from({ length: 12 }, (_, n) => `key-${n}`)
      for (const key of keys) await kit().enqueue(...ofKey(key, 3))
      await kit().run(updateGroup({ set: { concurrency: 2 } }))
      expect(await kit().run({ kind: 'admitBlocked', limit: 8 })).toEqual({ more: true })
      await group().update({ set: { concurrency: 3 } })
      for (const key of keys) expect(await group().counts(key)).toEqual([3, 0, 0])
    })

    it('a raised limit in code, or by an override of the type, admits blocked jobs', async () => {
      await group().rules({ concurrency: 1 })
      await kit().enqueue(...ofKey('a', 5))
      await group().rules({ concurrency: 2 })
      expect(await group().counts('a')).toEqual([2, 0, 3])
      await kit().override('report', { group: { concurrency: 3 } })
      await group().admit()
      expect(await group().counts('a')).toEqual([3, 0, 2])
      await kit().override('report', { group: null })
      await group().admit()
      expect(await group().counts('a')).toEqual([4, 0, 1])
    })

    it('a lowered limit is reached by handing nothing on', async () => {
      await group().rules({ concurrency: 4 })
      await kit().enqueue(...ofKey('a', 9))
      const leases = await kit().claim({ limit: 3 })
      await group().update({ set: { concurrency: 2 } })
      const running: number[] = []
      for (const lease of leases) {
        await kit().run(complete(lease))
        const [pending = 0, processing = 0] = await group().counts('a')
        running.push(pending + processing)
      }
      expect(running).toEqual([3, 2, 2])
    })

    it('a key wins over its group, and null removes a limit', async () => {
      await group().rules({ concurrency: 1, window: 9 })
      await group().update({ set: { concurrency: 2 } })
      await group().update({ key: 'a', set: { concurrency: null } })
      await kit().enqueue(...ofKey('a', 5), ...ofKey('b', 5))
      expect([await group().counts('a'), await group().counts('b')]).toEqual([
        [5, 0, 0],
        [2, 0, 3],
      ])
    })

    it('a rule that is cleared comes from the group or the code again', async () => {
      await group().rules({ concurrency: 1 })
      await group().update({ set: { concurrency: 3, whenFull: 'skip' } })
      await group().update({ key: 'a', set: { concurrency: 5, paused: false } })
      await group().update({ key: 'a', clear: ['concurrency'] })
      expect(await keyOf('a')).toMatchObject({ override: { paused: false } })
      await kit().enqueue(...ofKey('a', 3, { whenFull: 'wait' }))
      expect(await group().counts('a')).toEqual([3, 0, 0])
      await group().update({ clear: ['concurrency', 'whenFull'] })
      await group().update({ key: 'a', clear: ['paused'] })
      expect(await kit().store.groupOverrides()).toEqual({})
      expect(await keyOf('a')).toMatchObject({ override: {} })
      await kit().enqueue(...ofKey('b', 3))
      expect(await group().counts('b')).toEqual([1, 0, 2])
    })

    it('an override of a rate starts jobs of one key slower', async () => {
      await group().update({ key: 'a', set: { rate: { limit: 1, perMs: 60_000 } } })
      await kit().enqueue(...ofKey('a', 3), ...ofKey('b', 3))
      expect(await kit().claimIds()).toHaveLength(4)
      expect(await kit().claimIds()).toEqual([])
      expect((await kit().store.nextDue()).promoteAt).toBe(START + 60_000)
    })

    it('overrides hold for other connections and after a reopen', async () => {
      await group().rules({ concurrency: 1 })
      const other = await kit().another()
      await other.claimIds()
      await group().update({ set: { concurrency: 2 } })
      await group().update({ key: 'b', set: { concurrency: 3 } })
      await other.enqueue(...ofKey('a', 4), ...ofKey('b', 4))
      expect([await group().counts('a'), await group().counts('b')]).toEqual([
        [2, 0, 2],
        [3, 0, 1],
      ])
    })

    it('overrides of groups are no settings of the queue', async () => {
      await kit().run({ kind: 'putSettings', set: { maxAttempts: 7 }, clear: [], actor: 'operator' })
      await group().update({ set: { concurrency: 2 } })
      expect(await kit().store.settings()).toEqual({ maxAttempts: 7 })
      await kit().run({ kind: 'putSettings', set: {}, clear: ['maxAttempts'], actor: 'operator' })
      expect(await kit().store.groupOverrides()).toEqual({ report: { concurrency: 2 } })
    })

    it('an update has an audit entry with the group or the key', async () => {
      await kit().advance(3)
      await kit().run(updateGroup({ set: { concurrency: 2 }, actor: 'anna' }))
      await kit().run(updateGroup({ key: 'a', set: { paused: true }, actor: 'boris' }))
      const rows = await kit().store.audit({ target: null, before: null, limit: 10 })
      expect(rows.map(({ actor, action, target, at }) => ({ actor, action, target, at }))).toEqual([
        { actor: 'boris', action: 'groups.update', target: 'report / a', at: START + 3 },
        { actor: 'anna', action: 'groups.update', target: 'report', at: START + 3 },
      ])
    })
  })

  describe('a pause', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit
    const keyRows = async () => (await harness.keyRows()).rows

    it('of a key blocks its pending jobs, lets the running ones end, and leaves other keys alone', async () => {
      const ids = await kit().enqueue(...ofKey('a', 3), ...ofKey('b', 1))
      const lease = await kit().claimOne()
      await group().update({ key: 'a', set: { paused: true } })
      expect(await group().counts('a')).toEqual([0, 1, 2])
      await kit().run(complete(lease))
      expect(await kit().status(await kit().add({ groupKey: 'a' }))).toBe('blocked')
      expect(await kit().claimIds()).toEqual(ids.slice(3))
      expect(await kit().store.nextDue()).toMatchObject({ promoteAt: null })
    })

    it('of a key ends with its override', async () => {
      await kit().enqueue(...ofKey('a', 6))
      await group().update({ key: 'a', set: { paused: true } })
      await group().update({ key: 'a', clear: ['paused'] })
      expect(await group().counts('a')).toEqual([4, 0, 2])
    })

    it('of a group blocks the pending jobs of all its keys', async () => {
      const keys = Array.from({ length: 30 }, (_, n) => `key-${n}`)
      for (const key of keys) await kit().enqueue(...ofKey(key, 3))
      const [other] = await kit().enqueue({ type: 'other', groupKey: 'key-1' })
      await group().update({ set: { paused: true } })
      expect(await kit().claimIds()).toEqual([other])
      for (const key of keys) expect(await group().counts(key)).toEqual([0, 0, 3])
      await group().update({ set: { paused: false } })
      for (const key of keys) expect(await group().counts(key)).toEqual([3, 0, 0])
    })

    it('of a group with thousands of pending jobs, and its end, go in steps that leave none behind', async () => {
      await group().rules({ window: 600 })
      for (const key of ['a', 'b', 'c']) await kit().enqueue(...ofKey(key, 700))
      const [, first] = (await kit().commit(updateGroup({ set: { paused: true } }), admitBlocked)).outcomes
      expect(first?.ok).toBe(true)
      const blocked = (await keyRows()).reduce((sum, row) => sum + row.blocked, 0)
      expect(blocked - 300).toBeLessThanOrEqual(MAX_HANDED_ON)
      await group().admit()
      await group().promote()
      for (const key of ['a', 'b', 'c']) expect(await group().counts(key)).toEqual([0, 0, 700])
      await group().update({ set: { paused: false } })
      await group().promote()
      for (const key of ['a', 'b', 'c']) expect(await group().counts(key)).toEqual([600, 0, 100])
    })

    it('of a group does not hold for a key that is excepted', async () => {
      await group().update({ key: 'vip', set: { paused: false } })
      await group().update({ set: { paused: true } })
      await kit().enqueue(...ofKey('a', 1), ...ofKey('vip', 1))
      expect([await group().counts('a'), await group().counts('vip')]).toEqual([
        [0, 0, 1],
        [1, 0, 0],
      ])
    })

    it('of a key keeps the order of its jobs, also of one that was handed on', async () => {
      await group().rules({ concurrency: 1 })
      const [, second = '', third = ''] = await kit().enqueue(...ofKey('a', 3))
      const lease = await kit().claimOne()
      await kit().advance(1_000)
      await kit().run(complete(lease))
      expect(await group().statuses([second, third])).toEqual(['pending', 'blocked'])
      await group().update({ key: 'a', set: { paused: true } })
      await group().update({ key: 'a', set: { paused: false } })
      expect(await group().statuses([second, third])).toEqual(['pending', 'blocked'])
    })

    it('of a key with a rate causes no promotion', async () => {
      await group().rules({ rate: { limit: 1, perMs: 1_000 } })
      await kit().enqueue(...ofKey('a', 3))
      await kit().claimIds()
      await group().update({ key: 'a', set: { paused: true } })
      expect((await kit().store.nextDue()).promoteAt).toBeNull()
      await group().update({ key: 'a', set: { paused: false } })
      expect((await kit().store.nextDue()).promoteAt).toBe(START + 1_000)
    })

    it('of a strict key keeps the turn', async () => {
      await group().rules({ order: 'strict' })
      const [first] = await kit().enqueue(...ofKey('a', 2))
      await group().update({ key: 'a', set: { paused: true } })
      await kit().add({ groupKey: 'a', priority: 9 })
      await group().update({ key: 'a', set: { paused: false } })
      expect(await kit().claimIds()).toEqual([first])
    })
  })
}
