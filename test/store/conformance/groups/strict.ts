/** Strict order: the jobs of a key run one by one, retries included. */
import { describe, expect, it } from 'vitest'
import type { ClaimedRow } from '../../../../server/store/ops.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { busy, complete, fail, jobAction, release } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeStrictGroups(harness: StoreHarness): void {
  describe('strict order', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    /** Three jobs of key a; the first one has failed for good. */
    async function stopped(): Promise<[string, string, string]> {
      await group().rules({ order: 'strict', onDead: 'stop' })
      const [first = '', second = '', third = ''] = await kit().enqueue(...ofKey('a', 3))
      await kit().run(fail(await kit().claimOne(), { retry: false }))
      expect(await group().statuses([first, second, third])).toEqual(['failed', 'blocked', 'blocked'])
      return [first, second, third]
    }

    async function runAll(): Promise<string[]> {
      const order: string[] = []
      for (let lease: ClaimedRow | undefined; ; order.push(lease.id)) {
        ;[lease] = await kit().claim()
        if (!lease) return order
        await kit().run(complete(lease))
      }
    }

    it('jobs of a key run one by one in the order of their enqueue, beside other keys', async () => {
      await group().rules({ order: 'strict' })
      const ids = await kit().enqueue(...ofKey('a', 4))
      const [other] = await kit().enqueue(...ofKey('b', 1))
      expect(await kit().claimIds()).toEqual([ids[0], other])
      expect(await kit().claimIds()).toEqual([])
      await kit().run(complete({ id: ids[0] ?? '', version: 1 }))
      expect(await runAll()).toEqual(ids.slice(1))
    })

    it('a job keeps its turn while it waits for a retry', async () => {
      await group().rules({ order: 'strict' })
      const [first, ...others] = await kit().enqueue(...ofKey('a', 3))
      await kit().run(fail(await kit().claimOne(), { retryInMs: 5_000 }))
      await kit().advance(4_999)
      await group().promote()
      expect(await kit().claimIds()).toEqual([])
      expect(await group().counts('a')).toEqual([0, 0, 2])
      await kit().advance(1)
      const retried = await kit().claimOne()
      expect(retried).toMatchObject({ id: first, attempts: 2 })
      await kit().run(complete(retried))
      expect(await runAll()).toEqual(others)
    })

    it('a key that waits for a retry causes no promotion before it', async () => {
      await group().rules({ order: 'strict' })
      await kit().enqueue(...ofKey('a', 3))
      await kit().run(fail(await kit().claimOne(), { retryInMs: 5_000 }))
      await group().promote()
      expect(await kit().store.nextDue()).toMatchObject({ promoteAt: START + 5_000 })
      expect((await group().row('a')).wakeAt).toBeNull()
    })

    it('a job with a higher priority does not overtake the job that has its turn', async () => {
      await group().rules({ order: 'strict' })
      const first = await kit().add({ groupKey: 'a' })
      await kit().run(fail(await kit().claimOne(), { retryInMs: 5_000 }))
      const urgent = await kit().add({ groupKey: 'a', priority: 9 })
      expect(await kit().status(urgent)).toBe('blocked')
      await kit().advance(5_000)
      expect(await kit().claimIds()).toEqual([first])
    })

    it.each([
      ['a release', async (lease: ClaimedRow) => kit().run(release(lease, 0)), 0],
      ['a release with a delay', async (lease: ClaimedRow) => kit().run(release(lease, 700)), 700],
      ['GroupBusy', async (lease: ClaimedRow) => kit().run(busy(lease, 700)), 700],
      ['a lost worker', async () => kit().crash(), 0],
      ['a failure that is retried at once', async (lease: ClaimedRow) => kit().run(fail(lease, { retryInMs: 0 })), 0],
    ] as const)('a job keeps its turn after %s', async (_, leave, ms) => {
      await group().rules({ order: 'strict' })
      const [first] = await kit().enqueue(...ofKey('a', 3))
      await leave(await kit().claimOne())
      await kit().advance(ms)
      expect(await kit().claimIds()).toEqual([first])
    })

    it('after a job has failed for good the next one runs', async () => {
      await group().rules({ order: 'strict' })
      const [, second] = await kit().enqueue(...ofKey('a', 2))
      await kit().run(fail(await kit().claimOne(), { retry: false }))
      expect(await kit().claimIds()).toEqual([second])
    })

    it('with onDead stop a failed job stops its key, and no other key', async () => {
      const [first] = await stopped()
      await kit().enqueue(...ofKey('b', 1))
      expect((await kit().claim({ limit: 9 })).length).toBe(1)
      expect(await kit().store.groupKey({ name: 'report', key: 'a' })).toMatchObject({
        stoppedAt: START,
        turnId: first,
        blocked: 2,
        wakeAt: null,
      })
      const later = await kit().add({ groupKey: 'a' })
      expect(await kit().status(later)).toBe('blocked')
    })

    it('a retry of the job that stopped a key runs it first, then the others', async () => {
      const ids = await stopped()
      await kit().advance(60)
      await kit().run(jobAction('retry', ids[0]))
      expect(await kit().store.groupKey({ name: 'report', key: 'a' })).toMatchObject({ stoppedAt: null })
      expect(await runAll()).toEqual(ids)
    })

    it('a retried job that fails again stops its key again', async () => {
      const [first] = await stopped()
      await kit().run(jobAction('retry', first))
      await kit().advance(40)
      await kit().run(fail(await kit().claimOne(), { retry: false }))
      expect(await group().row('a')).toMatchObject({ stoppedAt: START + 40, blocked: 2 })
      expect(await kit().claimIds()).toEqual([])
    })

    it('an operator resumes a stopped key: the next job runs, the failed one stays failed', async () => {
      const [first, second, third] = await stopped()
      await group().update({ key: 'a', resume: true })
      expect(await kit().status(first)).toBe('failed')
      expect(await runAll()).toEqual([second, third])
    })

    it('a resume of a key that is not stopped leaves the turn alone', async () => {
      await group().rules({ order: 'strict', onDead: 'stop' })
      const [first] = await kit().enqueue(...ofKey('a', 2))
      await kit().run(fail(await kit().claimOne(), { retryInMs: 5_000 }))
      await group().update({ key: 'a', resume: true })
      expect(await kit().claimIds()).toEqual([])
      await kit().advance(5_000)
      expect(await kit().claimIds()).toEqual([first])
    })

    it('a removal of the job that stopped a key frees the key', async () => {
      const [first, second, third] = await stopped()
      await kit().run(jobAction('remove', first))
      expect(await runAll()).toEqual([second, third])
    })

    it('retention of the job that stopped a key frees the key', async () => {
      const [, second, third] = await stopped()
      await kit().advance(50)
      await kit().run({ kind: 'cleanup', status: ['failed'], olderThanMs: 0, type: null, limit: 100 })
      expect(await runAll()).toEqual([second, third])
    })

    it('a rate holds in strict order too', async () => {
      await group().rules({ order: 'strict', rate: { limit: 1, perMs: 1_000 } })
      const [, second] = await kit().enqueue(...ofKey('a', 2))
      await kit().run(complete(await kit().claimOne()))
      expect(await kit().claimIds()).toEqual([])
      await kit().advance(1_000)
      expect(await kit().claimIds()).toEqual([second])
    })

    it('a cancelled or expired job with the turn lets the next one run', async () => {
      await group().rules({ order: 'strict' })
      const [first = '', second] = await kit().enqueue({ groupKey: 'a', expiresAt: START + 900 }, ...ofKey('a', 2))
      await kit().advance(900)
      await group().promote()
      expect(await group().statuses([first, second ?? ''])).toEqual(['cancelled', 'pending'])
      await kit().run(jobAction('cancel', second ?? ''))
      expect(await group().counts('a')).toEqual([1, 0, 0])
    })

    it('a group that becomes strict finishes what runs, then goes one by one', async () => {
      const ids = await kit().enqueue(...ofKey('a', 5))
      const leases = await kit().claim({ limit: 2 })
      await group().update({ set: { order: 'strict' } })
      const [first, second] = leases
      if (first) await kit().run(complete(first))
      expect((await group().counts('a')).slice(1, 2)).toEqual([1])
      if (second) await kit().run(complete(second))
      // Jobs that were pending before stay so.
      for (const lease of await kit().claim({ limit: 9 })) await kit().run(complete(lease))
      expect((await kit().claim({ limit: 9 })).length).toBeLessThanOrEqual(1)
      expect(ids).toHaveLength(5)
    })
  })
}
