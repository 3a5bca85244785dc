/** Promotion and expiry of waiting jobs. */
import { describe, expect, it } from 'vitest'
import { EXPIRED_ERROR } from '../../../../shared/job-errors.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, enqueue, fail, fullJob, jobAction, plainJob, promote, release } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeDue(harness: StoreHarness): void {
  describe('promotion', () => {
    const kit = eachKit(harness)

    it('promotion makes due jobs claimable, and no others', async () => {
      const [due, later] = await kit().enqueue({ delayMs: 1_000 }, { delayMs: 1_001 })
      await kit().advance(1_000)
      expect(await kit().run(promote)).toEqual({ more: false })
      expect(await kit().job(due ?? '')).toMatchObject({
        status: 'pending',
        runAt: START + 1_000,
        updatedAt: START + 1_000,
        createdAt: START,
      })
      expect(await kit().status(later ?? '')).toBe('scheduled')
    })

    it('promotion makes retrying jobs pending and keeps their history', async () => {
      const lease = await kit().held()
      await kit().run(fail(lease, { retryInMs: 500 }))
      await kit().advance(500)
      await kit().run(promote)
      expect(await kit().job(lease.id)).toMatchObject({ status: 'pending', attempts: 1, error: 'boom 42' })
    })

    it('promotion goes in steps and reports when there are more', async () => {
      await kit().enqueue({ delayMs: 3 }, { delayMs: 1 }, { delayMs: 2 })
      await kit().advance(10)
      expect(await kit().run({ kind: 'promote', limit: 2 })).toEqual({ more: true })
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 2, scheduled: 1 })
      expect(await kit().run({ kind: 'promote', limit: 2 })).toEqual({ more: false })
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 3, scheduled: 0 })
    })

    it('a claim promotes due jobs itself', async () => {
      const id = await kit().add({ delayMs: 1_000 })
      await kit().advance(999)
      expect(await kit().claimIds()).toEqual([])
      await kit().advance(1)
      const { outcomes, changes } = await kit().commit(claim())
      expect(outcomes).toMatchObject([{ ok: true, value: { jobs: [{ id, runAt: START + 1_000 }] } }])
      expect(changes).toEqual([
        { id, type: 'report', from: 'scheduled', to: 'pending' },
        { id, type: 'report', from: 'pending', to: 'processing' },
      ])
    })

    it('promotion is not reverted when the clock goes back', async () => {
      const id = await kit().add({ delayMs: 1_000 })
      await kit().advance(1_000)
      await kit().run(promote)
      kit().clock.jump(-3_600_000)
      expect(await kit().claimIds()).toEqual([id])
    })

    it('promotion follows a clock that jumped ahead', async () => {
      const id = await kit().add({ delayMs: 3_600_000 })
      kit().clock.jump(3_600_000)
      expect(await kit().claimIds()).toEqual([id])
    })
  })

  describe('expiry', () => {
    const kit = eachKit(harness)
    const soon = { expiresAt: START + 1_000 }

    it.each(['pending', 'scheduled', 'retrying'] as const)('expiry cancels a %s job with a reason', async (status) => {
      const id = await kit().jobIn(status, soon)
      await kit().advance(999)
      await kit().run(promote)
      expect(await kit().status(id)).toBe(status)
      await kit().advance(1)
      await kit().run(promote)
      expect(await kit().job(id)).toMatchObject({
        status: 'cancelled',
        error: EXPIRED_ERROR,
        finishedAt: START + 1_000,
        updatedAt: START + 1_000,
      })
    })

    it('an expired job is never claimed, however many have expired at once', async () => {
      await kit().enqueue(...Array.from({ length: 2_500 }, () => soon))
      const fresh = await kit().add()
      await kit().advance(2_000)
      expect(await kit().claimIds({ limit: 5 })).toEqual([fresh])
    })

    it('a claim does not return an expired job', async () => {
      const [expired, fine] = await kit().enqueue({ ...soon, priority: 9 }, {})
      await kit().advance(1_000)
      expect(await kit().claimIds()).toEqual([fine])
      expect(await kit().status(expired ?? '')).toBe('cancelled')
    })

    it('expiry comes before promotion when both are due', async () => {
      const id = await kit().add({ delayMs: 500, ...soon })
      await kit().advance(2_000)
      const { changes } = await kit().commit(claim())
      expect(changes).toEqual([{ id, type: 'report', from: 'scheduled', to: 'cancelled' }])
    })

    it('expiry does not affect a running job, but applies when it waits again', async () => {
      const lease = await kit().held(soon)
      await kit().advance(5_000)
      await kit().run(promote)
      expect(await kit().status(lease.id)).toBe('processing')
      await kit().run(release(lease))
      expect(await kit().claimIds()).toEqual([])
      expect(await kit().job(lease.id)).toMatchObject({ status: 'cancelled', error: EXPIRED_ERROR })
    })

    it('expiry does not affect finished jobs', async () => {
      const id = await kit().jobIn('completed', fullJob(soon))
      const before = await kit().dump(id)
      await kit().advance(5_000)
      await kit().run(promote)
      expect(await kit().dump(id)).toEqual(before)
    })

    it('expiry goes in steps and reports when there are more', async () => {
      await kit().enqueue(soon, soon, soon)
      await kit().advance(1_000)
      expect(await kit().run({ kind: 'promote', limit: 2 })).toEqual({ more: true })
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 1, cancelled: 2 })
    })

    it('expiry frees a key that lasts until the job is finished', async () => {
      const key = { dedupeKey: 'k', dedupeUntil: 'finished' } as const
      await kit().add({ ...key, ...soon })
      await kit().advance(1_000)
      await kit().run(promote)
      const fresh = plainJob(key)
      expect(await kit().run(enqueue(fresh))).toMatchObject([{ id: fresh.id, deduplicated: false }])
    })
  })

  describe('the next due times', () => {
    const kit = eachKit(harness)

    it('the next due times are null when no job waits', async () => {
      await kit().add()
      expect(await kit().store.nextDue()).toEqual({ promoteAt: null, leaseAt: null })
    })

    it('the next due times are the first run or expiry, and the first end of a lease', async () => {
      await kit().enqueue({ type: 'a', delayMs: 9_000 }, { type: 'b', delayMs: 7_000 })
      expect(await kit().store.nextDue()).toEqual({ promoteAt: START + 7_000, leaseAt: null })
      await kit().add({ type: 'c', expiresAt: START + 6_000 })
      expect(await kit().store.nextDue()).toEqual({ promoteAt: START + 6_000, leaseAt: null })
      await kit().enqueue({}, {})
      await kit().claim({ types: ['report'], leaseMs: 40_000 })
      const { due } = await kit().commit(claim({ types: ['report'], leaseMs: 20_000 }))
      expect(due).toEqual({ promoteAt: START + 6_000, leaseAt: START + 20_000 })
      expect(await kit().store.nextDue()).toEqual(due)
    })

    it('the next due times ignore finished, cancelled and removed jobs', async () => {
      const [a, b] = await kit().enqueue({ delayMs: 1_000 }, { delayMs: 2_000 })
      await kit().run(jobAction('cancel', a ?? ''))
      expect((await kit().store.nextDue()).promoteAt).toBe(START + 2_000)
      const { due } = await kit().commit(jobAction('remove', b ?? ''))
      expect(due).toEqual({ promoteAt: null, leaseAt: null })
    })
  })
}
