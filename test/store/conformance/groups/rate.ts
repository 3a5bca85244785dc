/** Rate limits per key. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, release } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

const EVEN = { rate: { limit: 10, perMs: 1_000 } } as const
const BURSTY = { rate: { limit: 10, perMs: 1_000, burst: 3 } } as const

export function describeGroupRates(harness: StoreHarness): void {
  describe('the rate of a key', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit
    const dueAt = async () => (await kit().store.nextDue()).promoteAt

    /** When jobs are claimed by a worker that asks every millisecond. */
    async function starts(forMs: number): Promise<number[]> {
      const at: number[] = []
      for (let ms = 0; ms <= forMs; ms++) {
        for (const _ of await kit().claimIds()) at.push(kit().clock.now() - START)
        await kit().advance(1)
      }
      return at
    }

    it('without a burst, jobs of a key start evenly spaced', async () => {
      await group().rules(EVEN)
      await kit().enqueue(...ofKey('a', 4))
      expect(await starts(350)).toEqual([0, 100, 200, 300])
    })

    it('with a burst, that many start at once', async () => {
      await group().rules(BURSTY)
      await kit().enqueue(...ofKey('a', 6))
      expect(await starts(320)).toEqual([0, 0, 0, 100, 200, 300])
    })

    it('tokens that were not used add up to the burst only', async () => {
      await group().rules(BURSTY)
      await kit().enqueue(...ofKey('a', 1))
      await kit().claimIds()
      await kit().advance(3_600_000)
      await kit().enqueue(...ofKey('a', 9))
      expect(await kit().claimIds()).toHaveLength(3)
      expect(await kit().claimIds()).toHaveLength(0)
    })

    it('the next start is among the due times, and the jobs of the key become pending then', async () => {
      await group().rules(EVEN)
      const [, second] = await kit().enqueue(...ofKey('a', 2))
      expect(await dueAt()).toBeNull()
      await kit().claimIds()
      expect(await dueAt()).toBe(START + 100)
      expect((await group().row('a')).wakeAt).toBe(START + 100)
      await kit().advance(99)
      await group().promote()
      expect(await kit().status(second ?? '')).toBe('blocked')
      await kit().advance(1)
      await group().promote()
      expect(await kit().status(second ?? '')).toBe('pending')
      expect(await dueAt()).toBeNull()
    })

    it('the commit of a claim returns when the next job may start', async () => {
      await group().rules(EVEN)
      await kit().enqueue(...ofKey('a', 2))
      const { due } = await kit().commit({
        kind: 'claim',
        worker: 'w',
        types: null,
        limit: 1,
        leaseMs: null,
        requestId: null,
        settle: false,
      })
      expect(due.promoteAt).toBe(START + 100)
    })

    it('the next start after a claim through another connection is among the due times', async () => {
      await group().rules(EVEN)
      const other = await kit().another()
      await kit().enqueue(...ofKey('a', 2))
      expect(await dueAt()).toBeNull()
      await other.claimIds()
      expect(await dueAt()).toBe(START + 100)
    })

    it('a claim hands on a key whose time has come', async () => {
      await group().rules(EVEN)
      const ids = await kit().enqueue(...ofKey('a', 2))
      await kit().claimIds()
      await kit().advance(100)
      expect(await kit().claimIds()).toEqual(ids.slice(1))
    })

    it('pending jobs that no worker claims use up no time', async () => {
      await group().rules(EVEN)
      await kit().enqueue(...ofKey('a', 3))
      await kit().advance(10_000)
      expect((await starts(250)).map((at) => at - 10_000)).toEqual([0, 100, 200])
    })

    it('keys have separate rates', async () => {
      await group().rules(EVEN)
      await kit().enqueue(...ofKey('a', 2), ...ofKey('b', 2))
      expect(await starts(120)).toEqual([0, 0, 100, 100])
    })

    it('the end of a job gives no token back', async () => {
      await group().rules({ ...EVEN, concurrency: 1 })
      await kit().enqueue(...ofKey('a', 3))
      await kit().run(complete(await kit().claimOne()))
      await kit().advance(50)
      expect(await kit().claimIds()).toEqual([])
      await kit().advance(50)
      await kit().run(release(await kit().claimOne()))
      expect(await kit().claimIds()).toEqual([])
    })

    it('a retry needs a token', async () => {
      await group().rules(EVEN)
      await kit().enqueue(...ofKey('a', 1))
      const lease = await kit().claimOne()
      await kit().run(fail(lease, { retryInMs: 40 }))
      await kit().advance(40)
      await group().promote()
      expect(await kit().status(lease.id)).toBe('blocked')
      await kit().advance(60)
      expect(await kit().claimIds()).toEqual([lease.id])
    })

    it('a rate with a fraction of a millisecond between starts is not exceeded', async () => {
      await group().rules({ rate: { limit: 3, perMs: 10 } })
      await kit().enqueue(...ofKey('a', 13))
      const at = await starts(60)
      expect(at).toHaveLength(13)
      for (const [n, ms] of at.entries()) expect(ms).toBeGreaterThanOrEqual((n * 10) / 3)
    })

    it('a key starts again after the clock was set back', async () => {
      await group().rules(EVEN)
      await kit().advance(3_600_000)
      await kit().enqueue(...ofKey('a', 2))
      await kit().claimIds()
      kit().clock.jump(-3_600_000)
      // Maintenance looks at keys with blocked jobs again: the stored time of the next start is an hour ahead.
      await group().admit()
      await kit().advance(200)
      expect(await kit().claimIds()).toHaveLength(1)
    })

    it('a raised rate counts at once, also for a key that waits for the old one', async () => {
      await group().rules({ rate: { limit: 1, perMs: 3_600_000 } })
      await kit().enqueue(...ofKey('a', 3))
      await kit().claimIds()
      await group().update({ set: { rate: { limit: 10, perMs: 1_000 } } })
      await kit().advance(100)
      expect(await kit().claimIds()).toHaveLength(1)
    })

    it('a rate that is removed stops counting at once', async () => {
      await group().rules({ rate: { limit: 1, perMs: 3_600_000 } })
      await kit().enqueue(...ofKey('a', 3))
      await kit().claimIds()
      await group().update({ set: { rate: null } })
      expect(await kit().claimIds()).toHaveLength(2)
    })
  })
}
