/** Rescue: leases that end without a settle. */
import { describe, expect, it } from 'vitest'
import type { Lease } from '../../../../server/store/ops.ts'
import { ATTEMPTS_LOST_ERROR, CRASH_ERROR, UNCONFIRMED_ERROR } from '../../../../shared/job-errors.ts'
import { setAsideError } from '../../../../shared/lifecycle.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { fail, fullJob, heartbeat, jobAction, log, progress, rescue } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeRescue(harness: StoreHarness): void {
  describe('rescue', () => {
    const kit = eachKit(harness, { maxAttempts: 10, crashBudget: 3 })

    it('rescue makes the job claimable, counts the crash and records the attempt', async () => {
      const lease = await kit().held(fullJob(), { worker: 'worker-4', leaseMs: 20_000 })
      await kit().advance(20_000)
      expect(await kit().run(rescue)).toEqual({ rescued: 1, more: false })
      const now = START + 20_000
      expect(await kit().job(lease.id)).toMatchObject({
        status: 'pending',
        attempts: 1,
        crashes: 1,
        version: 1,
        runAt: now,
        updatedAt: now,
        error: CRASH_ERROR,
        leaseUntil: null,
        leaseMs: null,
        lockedBy: null,
        finishedAt: null,
      })
      expect(await kit().store.attempts(lease.id)).toEqual([
        {
          version: 1,
          worker: 'worker-4',
          startedAt: START,
          finishedAt: now,
          outcome: 'crashed',
          statusAfter: 'pending',
          nextRunAt: now,
          error: CRASH_ERROR,
          errorKey: CRASH_ERROR,
          exitCode: null,
        },
      ])
    })

    it('rescue waits for the exact end of the lease', async () => {
      const lease = await kit().held({}, { leaseMs: 20_000 })
      await kit().advance(19_999)
      expect(await kit().run(rescue)).toEqual({ rescued: 0, more: false })
      expect(await kit().status(lease.id)).toBe('processing')
    })

    it('rescue skips leases that were extended', async () => {
      await kit().enqueue({}, {})
      const [alive, dead] = await kit().claim({ limit: 2, leaseMs: 20_000 })
      if (!alive || !dead) throw new Error('two jobs were there')
      await kit().advance(15_000)
      await kit().run(heartbeat([alive]))
      await kit().advance(10_000)
      expect(await kit().run(rescue)).toEqual({ rescued: 1, more: false })
      expect([await kit().status(alive.id), await kit().status(dead.id)]).toEqual(['processing', 'pending'])
    })

    it('rescue goes in steps, the earliest lease first, and reports when there are more', async () => {
      await kit().enqueue({}, {}, {})
      for (const leaseMs of [3_000, 1_000, 2_000]) await kit().claim({ leaseMs })
      await kit().advance(5_000)
      const { outcomes, changes } = await kit().commit({ kind: 'rescue', limit: 2 })
      expect(outcomes).toEqual([{ ok: true, value: { rescued: 2, more: true } }])
      const seqs = await Promise.all(changes.map(async ({ id }) => (await kit().job(id)).seq))
      expect(seqs).toEqual([2, 3])
      expect(await kit().run({ kind: 'rescue', limit: 2 })).toEqual({ rescued: 1, more: false })
    })

    it('rescue fails the job when its attempts are used up', async () => {
      const lease = await kit().held({ maxAttempts: 1 })
      await kit().crash()
      expect(await kit().job(lease.id)).toMatchObject({
        status: 'failed',
        attempts: 1,
        crashes: 1,
        error: ATTEMPTS_LOST_ERROR,
        finishedAt: START + 30_000,
      })
    })

    it('rescue fails a job that crashed its workers three times', async () => {
      const id = await kit().add()
      for (const status of ['pending', 'pending', 'failed']) {
        await kit().run(heartbeat([await kit().claimOne()]))
        await kit().crash()
        expect(await kit().status(id)).toBe(status)
      }
      expect(await kit().job(id)).toMatchObject({ attempts: 3, crashes: 3, version: 3, error: setAsideError(3) })
    })

    it('rescue uses the crash budget of the type, but never fails a job at its first crash', async () => {
      await kit().declare('report', { crashBudget: 1 })
      const { id } = await kit().held()
      await kit().crash()
      expect(await kit().status(id)).toBe('pending')
      await kit().run(heartbeat([await kit().claimOne()]))
      await kit().crash()
      expect(await kit().job(id)).toMatchObject({ status: 'failed', error: setAsideError(2) })
    })

    it.each([
      ['a heartbeat', (lease: Lease) => heartbeat([lease])],
      ['progress', (lease: Lease) => progress(lease)],
      ['a log line', (lease: Lease) => log(lease, 'started')],
    ])('rescue counts a second crash only after %s', async (_, sign) => {
      const { id } = await kit().held()
      await kit().crash()
      await kit().claimOne()
      await kit().crash()
      expect(await kit().job(id)).toMatchObject({ status: 'pending', attempts: 1, crashes: 1, version: 2 })
      expect(await kit().lastAttempt(id)).toMatchObject({
        outcome: 'released',
        error: UNCONFIRMED_ERROR,
        errorKey: null,
      })
      const lease = await kit().claimOne()
      await kit().run<'heartbeat' | 'progress' | 'log'>(sign(lease))
      await kit().crash()
      expect(await kit().job(id)).toMatchObject({ status: 'pending', attempts: 2, crashes: 2, version: 3 })
    })

    it('rescue counts an attempt after three unconfirmed claims in a row', async () => {
      const id = await kit().add({ maxAttempts: 2 })
      for (const attempts of [1, 1, 1, 1]) {
        await kit().claimOne()
        await kit().crash()
        expect(await kit().job(id)).toMatchObject({ status: 'pending', attempts, crashes: 1 })
      }
      await kit().claimOne()
      await kit().crash()
      expect(await kit().job(id)).toMatchObject({
        status: 'failed',
        attempts: 2,
        crashes: 1,
        error: ATTEMPTS_LOST_ERROR,
      })
    })

    it('rescue does not count reported failures as crashes', async () => {
      const id = await kit().add()
      for (let n = 0; n < 4; n++) await kit().run(fail(await kit().claimOne(), { retryInMs: 0 }))
      expect(await kit().job(id)).toMatchObject({ status: 'pending', attempts: 4, crashes: 0 })
    })

    it('rescue cancels a job whose cancellation was requested', async () => {
      const lease = await kit().held()
      await kit().run(jobAction('cancel', lease.id))
      expect(await kit().status(lease.id)).toBe('processing')
      await kit().crash()
      expect(await kit().job(lease.id)).toMatchObject({
        status: 'cancelled',
        error: CRASH_ERROR,
        crashes: 1,
        cancelRequestedAt: null,
        finishedAt: START + 30_000,
      })
    })
  })
}
