/** Limits per key: concurrency, window, order of the line. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, plainJob } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupLimits(harness: StoreHarness): void {
  describe('limits of a key', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    it('no more jobs of a key are pending or running than its concurrency allows', async () => {
      await group().rules({ concurrency: 2 })
      const ids = await kit().enqueue(...ofKey('a', 5))
      expect(await group().statuses(ids)).toEqual(['pending', 'pending', 'blocked', 'blocked', 'blocked'])
      expect(await kit().claimIds()).toEqual(ids.slice(0, 2))
      expect(await kit().claimIds()).toEqual([])
      expect(await group().counts('a')).toEqual([0, 2, 3])
    })

    it('an enqueue returns blocked for a job that has to wait for its key', async () => {
      await group().rules({ concurrency: 1 })
      const [first, second] = [plainJob({ groupKey: 'a' }), plainJob({ groupKey: 'a' })]
      const { outcomes, changes } = await kit().commit(enqueue(first, second))
      expect(outcomes).toEqual([
        {
          ok: true,
          value: [
            { id: first.id, status: 'pending', deduplicated: false },
            { id: second.id, status: 'blocked', deduplicated: false },
          ],
        },
      ])
      expect(changes).toEqual([
        { id: first.id, type: 'report', from: null, to: 'pending' },
        { id: second.id, type: 'report', from: null, to: 'blocked' },
      ])
    })

    it('the end of a job hands its place on in the same commit', async () => {
      await group().rules({ concurrency: 1 })
      const [, second] = await kit().enqueue(...ofKey('a', 2))
      const lease = await kit().claimOne()
      await kit().advance(30)
      const { changes, ready } = await kit().commit(complete(lease))
      expect(changes).toEqual([
        { id: lease.id, type: 'report', from: 'processing', to: 'completed' },
        { id: second, type: 'report', from: 'blocked', to: 'pending' },
      ])
      expect(ready.get('report')).toMatchObject({ count: 1 })
      expect(await kit().job(second ?? '')).toMatchObject({ status: 'pending', runAt: START + 30 })
    })

    it('a place that one job leaves can be claimed in the same commit', async () => {
      await group().rules({ concurrency: 1 })
      const [, second] = await kit().enqueue(...ofKey('a', 2))
      const lease = await kit().claimOne()
      const [, claimed] = await kit().outcomes(complete(lease), claim())
      expect(claimed).toMatchObject({ ok: true, value: { jobs: [{ id: second }] } })
    })

    it('a group without rules has no concurrency limit and four pending jobs of a key', async () => {
      const ids = await kit().enqueue(...ofKey('a', 10))
      expect(await group().counts('a')).toEqual([4, 0, 6])
      expect(await kit().claimIds()).toEqual(ids.slice(0, 4))
      expect(await group().counts('a')).toEqual([4, 4, 2])
      expect(await kit().claimIds()).toEqual(ids.slice(4, 8))
      expect(await kit().claimIds()).toEqual(ids.slice(8))
      expect(await group().counts('a')).toEqual([0, 10, 0])
    })

    it('a claim makes room in the window in the same commit', async () => {
      await group().rules({ window: 1 })
      const [first, second] = await kit().enqueue(...ofKey('a', 2))
      expect((await kit().commit(claim())).changes).toEqual([
        { id: first, type: 'report', from: 'pending', to: 'processing' },
        { id: second, type: 'report', from: 'blocked', to: 'pending' },
      ])
    })

    it('keys do not limit each other', async () => {
      await group().rules({ concurrency: 1 })
      await kit().enqueue(...ofKey('a', 3), ...ofKey('b', 3), { groupKey: null })
      expect(await kit().claimIds()).toHaveLength(3)
      expect([await group().counts('a'), await group().counts('b')]).toEqual([
        [0, 1, 2],
        [0, 1, 2],
      ])
    })

    it('keys take turns, however long the line of one of them is', async () => {
      await group().rules({ window: 1 })
      await kit().enqueue(...ofKey('a', 6), ...ofKey('b', 2), ...ofKey('c', 1))
      expect(await group().claimedKeys(9)).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a', 'a', 'a'])
    })

    it('a small key is served beside a large one', async () => {
      await group().rules({ concurrency: 3, window: 1 })
      await kit().enqueue(...ofKey('large', 400))
      await kit().advance(5)
      await kit().enqueue(...ofKey('small', 3))
      const keys: (string | null)[] = []
      for (let n = 0; n < 8; n++) {
        await kit().advance(1)
        const lease = await kit().claimOne()
        keys.push((await kit().job(lease.id)).groupKey)
        await kit().run(complete(lease))
      }
      expect(keys.filter((key) => key === 'small')).toHaveLength(3)
    })

    it('the blocked jobs of a key are ordered by priority, then by when they became due', async () => {
      await group().rules({ concurrency: 1 })
      const [first] = await kit().enqueue(...ofKey('a', 1))
      const low = await kit().add({ groupKey: 'a', priority: -1 })
      const late = await kit().add({ groupKey: 'a', runAt: START - 5 })
      const early = await kit().add({ groupKey: 'a', runAt: START - 9 })
      const high = await kit().add({ groupKey: 'a', priority: 4 })
      const order: string[] = []
      for (let n = 0; n < 5; n++) {
        const lease = await kit().claimOne()
        order.push(lease.id)
        await kit().run(complete(lease))
      }
      expect(order).toEqual([first, high, early, late, low])
    })

    it('a new job does not overtake a blocked one, even when there is room', async () => {
      await group().rules({ rate: { limit: 1, perMs: 1_000 } })
      const [first, second] = await kit().enqueue(...ofKey('a', 2))
      expect(await kit().claimIds()).toEqual([first])
      await kit().advance(1_000)
      const third = await kit().add({ groupKey: 'a', priority: 0 })
      expect(await kit().status(third)).toBe('blocked')
      await group().promote()
      expect(await group().statuses([second ?? '', third])).toEqual(['pending', 'blocked'])
    })

    it('a claim that settles at once leaves no place taken', async () => {
      await group().rules({ concurrency: 1 })
      const ids = await kit().enqueue(...ofKey('a', 3))
      for (const id of ids) expect(await kit().claimIds({ settle: true })).toEqual([id])
      expect(await group().counts('a')).toEqual([0, 0, 0])
    })

    it('a repeated claim request takes no second place', async () => {
      await group().rules({ concurrency: 2 })
      await kit().enqueue(...ofKey('a', 3))
      const request = { requestId: 'r-1', limit: 1 }
      const first = await kit().claimIds(request)
      expect(await kit().claimIds(request)).toEqual(first)
      expect(await group().counts('a')).toEqual([1, 1, 1])
    })

    it('limits of the type hold beside those of the key', async () => {
      await kit().declare('report', { maxConcurrency: 3, group: { concurrency: 2 } })
      await kit().enqueue(...ofKey('a', 3), ...ofKey('b', 3))
      expect(await kit().claimIds()).toHaveLength(3)
    })

    it('many blocked jobs of one commit are handed on one after the other', async () => {
      await group().rules({ concurrency: 50, window: 50 })
      await kit().enqueue(...ofKey('a', 130))
      for (const expected of [50, 50, 30]) {
        const leases = await kit().claim({ limit: 100 })
        expect(leases).toHaveLength(expected)
        await kit().outcomes(...leases.map((lease) => complete(lease)))
      }
    })
  })
}
