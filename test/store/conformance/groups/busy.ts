/** GroupBusy: a whole key waits after a handler was refused by an upstream. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { busy, complete } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupBusy(harness: StoreHarness): void {
  describe('GroupBusy', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    it('the whole key waits, and the attempt is not counted', async () => {
      await group().rules({ concurrency: 3 })
      const ids = await kit().enqueue(...ofKey('a', 5), ...ofKey('b', 1))
      const lease = await kit().claimOne()
      await kit().run(busy(lease, 5_000))
      expect(await kit().job(lease.id)).toMatchObject({ status: 'scheduled', attempts: 0, runAt: START + 5_000 })
      expect(await group().counts('a')).toEqual([0, 0, 4])
      expect(await kit().claimIds()).toEqual(ids.slice(5))
      expect((await kit().store.nextDue()).promoteAt).toBe(START + 5_000)
      await kit().advance(4_999)
      expect(await kit().claimIds()).toEqual([])
      await kit().advance(1)
      expect(await kit().claimIds()).toHaveLength(3)
    })

    it('jobs that run already go on, and their ends hand nothing on before the time', async () => {
      await group().rules({ concurrency: 2 })
      await kit().enqueue(...ofKey('a', 4))
      const [first, second] = await kit().claim({ limit: 2 })
      if (!first || !second) throw new Error('two jobs were claimed')
      await kit().run(busy(first, 5_000))
      await kit().run(complete(second))
      expect(await group().counts('a')).toEqual([0, 0, 2])
      const late = await kit().add({ groupKey: 'a' })
      expect(await kit().status(late)).toBe('blocked')
      await kit().advance(5_000)
      await group().promote()
      expect(await group().counts('a')).toEqual([2, 0, 2])
    })

    it('the later of two times counts', async () => {
      await group().rules({ concurrency: 2 })
      await kit().enqueue(...ofKey('a', 4))
      const [first, second] = await kit().claim({ limit: 2 })
      if (!first || !second) throw new Error('two jobs were claimed')
      await kit().run(busy(first, 5_000))
      await kit().run(busy(second, 1_000))
      await kit().advance(1_000)
      expect(await kit().claimIds()).toEqual([])
      await kit().advance(4_000)
      expect(await kit().claimIds()).toHaveLength(2)
    })

    it('pending jobs of the key are blocked again in the same commit', async () => {
      await group().rules({ window: 3 })
      const ids = await kit().enqueue(...ofKey('a', 3))
      const lease = await kit().claimOne()
      const { changes } = await kit().commit(busy(lease, 5_000))
      expect(new Set(changes.map(({ id, to }) => `${id} ${to}`))).toEqual(
        new Set([`${lease.id} scheduled`, ...ids.slice(1).map((id) => `${id} blocked`)]),
      )
    })

    it('without a key it is a release with a delay', async () => {
      const ids = await kit().enqueue({}, {})
      await kit().run(busy(await kit().claimOne(), 5_000))
      expect(await kit().claimIds()).toEqual(ids.slice(1))
    })

    it('of a lost claim it changes nothing', async () => {
      await kit().enqueue(...ofKey('a', 3))
      const lease = await kit().claimOne()
      await kit().crash()
      const before = await group().row('a')
      await kit().refused(busy(lease, 5_000))
      expect(await group().row('a')).toEqual(before)
    })
  })
}
