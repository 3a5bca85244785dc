/** Every way in which a job leaves its place or comes back to its key. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, heartbeat, jobAction, release, rescue } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupReturns(harness: StoreHarness): void {
  describe('a place of a key', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    /** Key a with a running job and two blocked ones, at concurrency 1. */
    async function full() {
      await group().rules({ concurrency: 1 })
      const [running = '', next = '', last = ''] = await kit().enqueue(...ofKey('a', 3))
      const lease = await kit().claimOne()
      await kit().advance(10)
      return { lease, running, next, last }
    }

    it('a failure that is retried later hands it on, and the retry waits for a place', async () => {
      const { lease, running, next, last } = await full()
      await kit().run(fail(lease, { retryInMs: 500 }))
      expect(await group().statuses([running, next, last])).toEqual(['retrying', 'pending', 'blocked'])
      await kit().advance(500)
      await group().promote()
      expect(await group().statuses([running, next, last])).toEqual(['blocked', 'pending', 'blocked'])
      await kit().run(complete(await kit().claimOne()))
      expect(await group().statuses([running, last])).toEqual(['blocked', 'pending'])
    })

    it('a failure for good hands it on', async () => {
      const { lease, next } = await full()
      await kit().run(fail(lease, { retry: false }))
      expect(await kit().status(next)).toBe('pending')
    })

    it('a failure that is retried at once, and a release, keep to the limit', async () => {
      const { lease, running } = await full()
      await kit().run(fail(lease, { retryInMs: 0 }))
      expect(await group().counts('a')).toEqual([1, 0, 2])
      await kit().run(release(await kit().claimOne()))
      expect(await group().counts('a')).toEqual([1, 0, 2])
      expect((await kit().job(running)).attempts).toBeGreaterThan(0)
    })

    it('a job released without others in its line is pending again', async () => {
      await group().rules({ concurrency: 1 })
      const [id = ''] = await kit().enqueue(...ofKey('a', 1))
      await kit().run(release(await kit().claimOne()))
      expect(await kit().status(id)).toBe('pending')
      expect(await group().counts('a')).toEqual([1, 0, 0])
    })

    it('a release with a delay hands it on', async () => {
      const { lease, running, next } = await full()
      await kit().run(release(lease, 700))
      expect(await group().statuses([running, next])).toEqual(['scheduled', 'pending'])
      await kit().advance(700)
      await group().promote()
      expect(await group().counts('a')).toEqual([1, 0, 2])
    })

    it('the rescue of a lost worker keeps to the limit', async () => {
      const { lease } = await full()
      await kit().crash()
      expect(await group().counts('a')).toEqual([1, 0, 2])
      expect((await kit().refused(complete(lease))).code).toBe('STALE_CLAIM')
      expect(await group().counts('a')).toEqual([1, 0, 2])
    })

    it('the rescue of many jobs of a key keeps to its window', async () => {
      await group().rules({ window: 2, concurrency: 10 })
      await kit().enqueue(...ofKey('a', 12))
      for (let n = 0; n < 5; n++) await kit().claimIds()
      expect(await group().counts('a')).toEqual([0, 10, 2])
      await kit().crash()
      expect(await group().counts('a')).toEqual([2, 0, 10])
    })

    it('a settle or a heartbeat of a lost claim changes no counts', async () => {
      const { lease } = await full()
      await kit().run(complete(lease))
      const before = await group().row('a')
      await kit().run(complete(lease))
      await kit().refused(fail(lease))
      await kit().refused(release({ id: lease.id, version: 9 }))
      await kit().run(heartbeat([lease]))
      expect(await group().row('a')).toEqual(before)
    })

    it.each(['cancel', 'remove'] as const)('%s of a pending job hands it on', async (action) => {
      await group().rules({ concurrency: 1 })
      const [first = '', second = ''] = await kit().enqueue(...ofKey('a', 2))
      const { changes } = await kit().commit(jobAction(action, first))
      expect(changes).toEqual([
        { id: first, type: 'report', from: 'pending', to: action === 'cancel' ? 'cancelled' : null },
        { id: second, type: 'report', from: 'blocked', to: 'pending' },
      ])
      expect(await group().counts('a')).toEqual([1, 0, 0])
    })

    it.each(['cancel', 'remove'] as const)('%s of a blocked job changes nothing else', async (action) => {
      const { next, last } = await full()
      const { changes } = await kit().commit(jobAction(action, next))
      expect(changes).toHaveLength(1)
      expect(await group().counts('a')).toEqual([0, 1, 1])
      expect(await kit().status(last)).toBe('blocked')
    })

    it('a requested cancellation keeps its place until the worker ends the job', async () => {
      const { lease, running, next } = await full()
      await kit().run(jobAction('cancel', running))
      expect(await kit().status(next)).toBe('blocked')
      await kit().run(release(lease))
      expect(await group().statuses([running, next])).toEqual(['cancelled', 'pending'])
    })

    it('a retry by an operator waits for a place', async () => {
      const { lease, running, next } = await full()
      await kit().run(fail(lease, { retry: false }))
      const { outcomes, changes } = await kit().commit(jobAction('retry', running))
      expect(outcomes).toEqual([{ ok: true, value: { id: running, status: 'blocked', changed: true } }])
      expect(changes).toEqual([{ id: running, type: 'report', from: 'failed', to: 'blocked' }])
      expect(await group().statuses([running, next])).toEqual(['blocked', 'pending'])
    })

    it.each(['scheduled', 'retrying'] as const)('runNow of a %s job waits for a place', async (status) => {
      await group().rules({ concurrency: 1 })
      const later = await kit().jobIn(status, { groupKey: 'a' })
      await kit().enqueue(...ofKey('a', 1))
      expect(await kit().run(jobAction('runNow', later))).toEqual({ id: later, status: 'blocked', changed: true })
      expect(await group().counts('a')).toEqual([1, 0, 1])
      await kit().run(complete(await kit().claimOne()))
      expect(await kit().status(later)).toBe('pending')
    })

    it('runNow of a blocked job leaves it in its line', async () => {
      const { next, last } = await full()
      const before = await kit().dump(last)
      expect(await kit().run(jobAction('runNow', last))).toEqual({ id: last, status: 'blocked', changed: false })
      expect(await kit().dump(last)).toEqual(before)
      expect(await kit().status(next)).toBe('blocked')
    })

    it('a blocked job expires, at a time that is among the due times', async () => {
      await group().rules({ concurrency: 1 })
      await kit().enqueue(...ofKey('a', 1))
      const [blocked = '', next = ''] = await kit().enqueue(
        { groupKey: 'a', expiresAt: START + 400 },
        { groupKey: 'a' },
      )
      expect((await kit().store.nextDue()).promoteAt).toBe(START + 400)
      await kit().advance(400)
      await group().promote()
      expect(await group().statuses([blocked, next])).toEqual(['cancelled', 'blocked'])
      expect(await group().counts('a')).toEqual([1, 0, 1])
    })

    it('the expiry of a pending job hands its place on', async () => {
      await group().rules({ concurrency: 1 })
      const [first = '', second = ''] = await kit().enqueue(
        { groupKey: 'a', expiresAt: START + 400 },
        { groupKey: 'a' },
      )
      await kit().advance(400)
      await group().promote()
      expect(await group().statuses([first, second])).toEqual(['cancelled', 'pending'])
    })

    it('an expired job is never handed on', async () => {
      await group().rules({ concurrency: 1 })
      const [first = '', expired = '', third = ''] = await kit().enqueue(
        { groupKey: 'a' },
        { groupKey: 'a', expiresAt: START + 400 },
        { groupKey: 'a' },
      )
      const lease = await kit().claimOne()
      await kit().advance(400)
      await kit().run(complete(lease))
      expect(await kit().claimIds()).not.toContain(expired)
      await group().promote()
      expect(await group().statuses([first, expired])).toEqual(['completed', 'cancelled'])
      expect(await kit().status(third)).not.toBe('blocked')
    })

    it('due jobs of many keys are promoted within their limits', async () => {
      await group().rules({ concurrency: 1 })
      for (const key of ['a', 'b', 'c']) await kit().enqueue(...ofKey(key, 3, { delayMs: 1_000 }))
      await kit().add({ delayMs: 1_000 })
      await kit().advance(1_000)
      await group().promote()
      for (const key of ['a', 'b', 'c']) expect(await group().counts(key)).toEqual([1, 0, 2])
      expect(await kit().claimIds()).toHaveLength(4)
    })

    it('a promotion in small steps reaches the same state', async () => {
      await group().rules({ concurrency: 2 })
      for (const key of ['a', 'b']) await kit().enqueue(...ofKey(key, 5, { delayMs: 1_000 }))
      await kit().advance(1_000)
      for (let n = 0; n < 30 && (await kit().run({ kind: 'promote', limit: 2 })).more; n++);
      for (const key of ['a', 'b']) expect(await group().counts(key)).toEqual([2, 0, 3])
    })

    it('a cleanup of finished jobs changes no counts', async () => {
      const { lease } = await full()
      await kit().run(complete(lease))
      await kit().advance(10)
      const { removed } = await kit().run({
        kind: 'cleanup',
        status: ['completed'],
        olderThanMs: 0,
        type: null,
        limit: 100,
      })
      expect(removed).toBe(1)
      expect(await group().counts('a')).toEqual([1, 0, 1])
    })

    it('renewed leases change no counts', async () => {
      await full()
      await kit().advance(60_000)
      await kit().run({ kind: 'renewLeases' })
      expect(await kit().run(rescue)).toMatchObject({ rescued: 0 })
      expect(await group().counts('a')).toEqual([0, 1, 2])
    })
  })
}
