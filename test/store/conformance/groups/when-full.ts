/** What an enqueue does while its key is full. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, enqueue, fail, heartbeat, plainJob } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

const REPLACED = 'Replaced by a newer job of its key'
const SKIPPED = 'Skipped: its key was full'

export function describeWhenFull(harness: StoreHarness): void {
  describe('a full key', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    it.each(['wait', 'skip', 'replace', 'cancel'] as const)('%s does nothing while there is room', async (whenFull) => {
      await group().rules({ concurrency: 2, whenFull })
      const ids = await kit().enqueue(...ofKey('a', 1))
      const leases = await kit().claim()
      expect(await kit().run(enqueue(plainJob({ groupKey: 'a' })))).toMatchObject([
        { status: 'pending', deduplicated: false },
      ])
      expect(await kit().job(ids[0] ?? '')).toMatchObject({ status: 'processing', cancelRequestedAt: null })
      expect(leases).toHaveLength(1)
    })

    it('skip stores nothing and returns the newest unfinished job of the key', async () => {
      await group().rules({ concurrency: 1, whenFull: 'skip' })
      const [running] = await kit().enqueue(...ofKey('a', 1))
      await kit().claimOne()
      const skipped = plainJob({ groupKey: 'a' })
      const { outcomes, changes } = await kit().commit(enqueue(skipped))
      expect(outcomes).toEqual([{ ok: true, value: [{ id: running, status: 'processing', deduplicated: true }] }])
      expect(changes).toEqual([])
      expect(await kit().store.get(skipped.id)).toBeNull()
      const later = await kit().add({ groupKey: 'a', delayMs: 5_000 })
      expect(await kit().run(enqueue(skipped))).toEqual([{ id: later, status: 'scheduled', deduplicated: true }])
    })

    it('skip answers with a job of the same commit', async () => {
      await group().rules({ concurrency: 1, whenFull: 'skip' })
      const [first, second] = [plainJob({ groupKey: 'a' }), plainJob({ groupKey: 'a' })]
      const answer = [
        { id: first.id, status: 'pending', deduplicated: false },
        { id: first.id, status: 'pending', deduplicated: true },
      ]
      expect(await kit().run(enqueue(first, second))).toEqual(answer)
      expect(await kit().run(enqueue(first, second))).toEqual(answer)
    })

    it('skip waits in a paused key without any job', async () => {
      await group().rules({ whenFull: 'skip' })
      await group().update({ key: 'a', set: { paused: true } })
      const job = plainJob({ groupKey: 'a' })
      expect(await kit().run(enqueue(job))).toEqual([{ id: job.id, status: 'blocked', deduplicated: false }])
    })

    it('replace cancels the jobs of the key that no worker holds', async () => {
      await group().rules({ concurrency: 1, whenFull: 'replace' })
      const [running = ''] = await kit().enqueue(...ofKey('a', 1))
      const lease = await kit().claimOne()
      const scheduled = await kit().add({ groupKey: 'a', delayMs: 60_000 })
      const blocked = await kit().add({ groupKey: 'a', whenFull: 'wait' })
      const other = await kit().add({ groupKey: 'b' })
      await kit().advance(10)
      const newest = plainJob({ groupKey: 'a' })
      const { outcomes, changes } = await kit().commit(enqueue(newest))
      expect(outcomes).toEqual([{ ok: true, value: [{ id: newest.id, status: 'blocked', deduplicated: false }] }])
      expect(changes).toHaveLength(3)
      expect(await group().statuses([running, scheduled, blocked, other])).toEqual([
        'processing',
        'cancelled',
        'cancelled',
        'pending',
      ])
      expect(await kit().job(blocked)).toMatchObject({ error: REPLACED, finishedAt: START + 10 })
      await kit().run(complete(lease))
      expect(await kit().status(newest.id)).toBe('pending')
    })

    it('replace of a pending job makes the new one pending', async () => {
      await group().rules({ concurrency: 1, whenFull: 'replace' })
      const [first, second] = [plainJob({ groupKey: 'a' }), plainJob({ groupKey: 'a' })]
      await kit().run(enqueue(first))
      expect(await kit().run(enqueue(second))).toMatchObject([{ id: second.id, status: 'pending' }])
      expect(await kit().job(first.id)).toMatchObject({ status: 'cancelled', error: REPLACED })
    })

    it('replace keeps a job that waits for a retry', async () => {
      await group().rules({ concurrency: 1, whenFull: 'replace' })
      const [first = ''] = await kit().enqueue(...ofKey('a', 1))
      await kit().run(fail(await kit().claimOne(), { retryInMs: 60_000 }))
      const second = await kit().add({ groupKey: 'a' })
      const third = await kit().add({ groupKey: 'a' })
      expect(await group().statuses([first, second, third])).toEqual(['retrying', 'cancelled', 'pending'])
    })

    it('the last job of one commit replaces the others', async () => {
      await group().rules({ concurrency: 1, whenFull: 'replace' })
      const ids = await kit().enqueue(...ofKey('a', 3))
      expect(await group().statuses(ids)).toEqual(['cancelled', 'cancelled', 'pending'])
    })

    it('a repeated commit replaces nothing twice', async () => {
      await group().rules({ concurrency: 1, whenFull: 'replace' })
      const [first, second] = [plainJob({ groupKey: 'a' }), plainJob({ groupKey: 'a' })]
      await kit().run(enqueue(first))
      await kit().run(enqueue(second))
      const before = [await kit().dump(first.id), await kit().dump(second.id)]
      await kit().advance(10)
      expect(await kit().run(enqueue(second))).toEqual([{ id: second.id, status: 'pending', deduplicated: false }])
      expect([await kit().dump(first.id), await kit().dump(second.id)]).toEqual(before)
    })

    it('cancel requests the cancellation of every running job of the key, and waits', async () => {
      await group().rules({ concurrency: 2, whenFull: 'cancel' })
      await kit().enqueue(...ofKey('a', 2), ...ofKey('b', 1))
      const leases = await kit().claim({ limit: 9 })
      await kit().advance(20)
      const newest = await kit().add({ groupKey: 'a' })
      expect(await kit().status(newest)).toBe('blocked')
      const outcome = await kit().run(heartbeat(leases))
      expect(outcome.cancelled).toEqual(leases.slice(0, 2).map(({ id }) => id))
      expect(outcome.extended).toEqual(leases.slice(2).map(({ id }) => id))
      const [first] = leases
      if (first) await kit().run(fail(first, { retryInMs: 0 }))
      expect(await group().statuses([first?.id ?? '', newest])).toEqual(['cancelled', 'pending'])
    })

    it('a rule of the job wins over the rule of its group', async () => {
      await group().rules({ concurrency: 1, whenFull: 'skip' })
      await kit().enqueue(...ofKey('a', 1))
      expect(await kit().status(await kit().add({ groupKey: 'a', whenFull: 'wait' }))).toBe('blocked')
      await group().rules({ concurrency: 1 })
      expect(await kit().run(enqueue(plainJob({ groupKey: 'a', whenFull: 'skip' })))).toMatchObject([
        { deduplicated: true },
      ])
    })

    it('a job that waits for its rate or its pause counts as one of a full key', async () => {
      await group().rules({ rate: { limit: 1, perMs: 1_000 }, whenFull: 'skip' })
      const [first] = await kit().enqueue(...ofKey('a', 1))
      await kit().claimIds()
      expect(await kit().run(enqueue(plainJob({ groupKey: 'a' })))).toMatchObject([{ id: first, deduplicated: true }])
    })

    it('a dedupe key is checked first', async () => {
      await group().rules({ concurrency: 1, whenFull: 'replace' })
      const holder = await kit().add({ groupKey: 'b', dedupeKey: 'k' })
      const waiting = await kit().add({ groupKey: 'a' })
      const before = await kit().dump(waiting)
      expect(await kit().run(enqueue(plainJob({ groupKey: 'a', dedupeKey: 'k' })))).toEqual([
        { id: holder, status: 'pending', deduplicated: true },
      ])
      expect(await kit().dump(waiting)).toEqual(before)
    })

    it('a job that is cancelled by replace frees its dedupe key for the new one', async () => {
      await group().rules({ concurrency: 1, whenFull: 'replace' })
      await kit().add({ groupKey: 'a' })
      const keyed = { groupKey: 'a', dedupeKey: 'k', dedupeUntil: 'finished' } as const
      const first = await kit().add(keyed)
      expect(await kit().run(enqueue(plainJob(keyed)))).toMatchObject([{ id: first, deduplicated: true }])
      const newer = await kit().add({ groupKey: 'a' })
      expect(await group().statuses([first, newer])).toEqual(['cancelled', 'pending'])
      expect(await kit().status(await kit().add({ ...keyed, groupKey: 'c' }))).toBe('pending')
    })
  })

  describe('a delayed job of a full key', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    /** A key with a running job, and one that became due meanwhile. */
    async function due(whenFull: 'wait' | 'skip' | 'replace' | 'cancel') {
      await group().rules({ concurrency: 1, whenFull })
      const delayed = await kit().add({ groupKey: 'a', delayMs: 1_000 })
      await kit().add({ groupKey: 'a' })
      const lease = await kit().claimOne({ leaseMs: 60_000 })
      const waiting = await kit().add({ groupKey: 'a', whenFull: 'wait' })
      expect(await group().statuses([delayed, waiting])).toEqual(['scheduled', 'blocked'])
      await kit().advance(1_000)
      await group().promote()
      return { delayed, lease, waiting }
    }

    it('wait: it becomes blocked when it is due, behind those that were due before', async () => {
      const { delayed, lease, waiting } = await due('wait')
      expect(await kit().status(delayed)).toBe('blocked')
      await kit().run(complete(lease))
      expect(await group().statuses([waiting, delayed])).toEqual(['pending', 'blocked'])
    })

    it('skip: it is cancelled when it is due', async () => {
      const { delayed } = await due('skip')
      expect(await kit().job(delayed)).toMatchObject({ status: 'cancelled', error: SKIPPED, finishedAt: START + 1_000 })
    })

    it('replace: it replaces those that wait when it is due', async () => {
      const { delayed, waiting } = await due('replace')
      expect(await kit().job(waiting)).toMatchObject({ status: 'cancelled', error: REPLACED })
      expect(await kit().status(delayed)).toBe('blocked')
    })

    it('replace: of several that become due at once the first one replaces the others', async () => {
      const { delayed, lease, waiting } = await due('replace')
      const later = await kit().enqueue(...ofKey('a', 3, { delayMs: 500 }))
      await kit().advance(500)
      await group().promote()
      expect(await group().statuses([delayed, waiting, ...later])).toEqual([
        'cancelled',
        'cancelled',
        'blocked',
        'cancelled',
        'cancelled',
      ])
      await kit().run(complete(lease))
      expect(await group().statuses(later)).toEqual(['pending', 'cancelled', 'cancelled'])
    })

    it('cancel: the cancellation of running jobs is requested when it is due', async () => {
      const { delayed, lease } = await due('cancel')
      expect(await kit().status(delayed)).toBe('blocked')
      expect(await kit().job(lease.id)).toMatchObject({ cancelRequestedAt: START + 1_000 })
    })

    it('a job that ran already is not skipped when its retry is due', async () => {
      await group().rules({ concurrency: 1, whenFull: 'skip' })
      const first = await kit().add({ groupKey: 'a' })
      await kit().run(fail(await kit().claimOne(), { retryInMs: 500 }))
      await kit().add({ groupKey: 'a' })
      await kit().advance(500)
      await group().promote()
      expect(await kit().status(first)).toBe('blocked')
    })
  })
}
