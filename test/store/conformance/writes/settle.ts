/** Ends of attempts: complete, fail, release. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, fullJob, jobAction, release } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

const BACKOFF = { kind: 'fixed', baseMs: 7_000, jitter: 0 } as const

export function describeSettle(harness: StoreHarness): void {
  describe('settling', () => {
    const kit = eachKit(harness, { maxAttempts: 3, backoff: BACKOFF })
    const DONE = { leaseUntil: null, leaseMs: null, lockedBy: null, cancelRequestedAt: null }

    it('complete finishes the job, stores its result and records the attempt', async () => {
      const lease = await kit().held(fullJob(), { worker: 'worker-5' })
      await kit().advance(1_300)
      const result = await kit().run(complete(lease, '{"sum":[1,2]}'))
      expect(result).toEqual({ id: lease.id, version: 1, status: 'completed', runAt: null, repeated: false })
      expect(await kit().job(lease.id)).toMatchObject({
        ...DONE,
        status: 'completed',
        lockedBy: 'worker-5',
        result: { sum: [1, 2] },
        error: null,
        attempts: 1,
        version: 1,
        runAt: START - 3_000,
        createdAt: START,
        startedAt: START,
        finishedAt: START + 1_300,
        updatedAt: START + 1_300,
      })
      expect(await kit().store.attempts(lease.id)).toEqual([
        {
          version: 1,
          worker: 'worker-5',
          startedAt: START,
          finishedAt: START + 1_300,
          outcome: 'completed',
          statusAfter: 'completed',
          nextRunAt: null,
          error: null,
          errorKey: null,
          exitCode: null,
        },
      ])
    })

    it.each([
      ['null', null],
      ['{"a":1}', { a: 1 }],
      ['"text"', 'text'],
      [null, undefined],
    ])('complete stores the result %s', async (json, value) => {
      const lease = await kit().held()
      await kit().run(complete(lease, json))
      expect((await kit().store.results([lease.id])).get(lease.id)).toEqual(value)
    })

    it('fail waits for the backoff and keeps the error', async () => {
      const lease = await kit().held(fullJob({ backoff: null }), { worker: 'worker-5' })
      await kit().advance(1_300)
      const runAt = START + 1_300 + 7_000
      expect(await kit().run(fail(lease))).toEqual({
        id: lease.id,
        version: 1,
        status: 'retrying',
        runAt,
        repeated: false,
      })
      expect(await kit().job(lease.id)).toMatchObject({
        ...DONE,
        status: 'retrying',
        error: 'boom 42',
        attempts: 1,
        crashes: 0,
        runAt,
        updatedAt: START + 1_300,
        finishedAt: null,
      })
      expect(await kit().lastAttempt(lease.id)).toEqual({
        version: 1,
        worker: 'worker-5',
        startedAt: START,
        finishedAt: START + 1_300,
        outcome: 'failed',
        statusAfter: 'retrying',
        nextRunAt: runAt,
        error: 'boom 42',
        errorKey: 'boom <n>',
        exitCode: 3,
      })
    })

    it('fail uses the backoff of the job, then of the type, then of the queue', async () => {
      await kit().declare('report', { backoff: { kind: 'fixed', baseMs: 2_000, jitter: 0 } })
      const own = await kit().held({ backoff: { kind: 'fixed', baseMs: 1_000, jitter: 0 } })
      expect(await kit().run(fail(own))).toMatchObject({ runAt: START + 1_000 })
      expect(await kit().run(fail(await kit().held()))).toMatchObject({ runAt: START + 2_000 })
      expect(await kit().run(fail(await kit().held({ type: 'other' })))).toMatchObject({ runAt: START + 7_000 })
    })

    it.each([
      ['on the last attempt', { maxAttempts: 1 }, {}, 'failed', null],
      ['without retry', {}, { retry: false }, 'failed', null],
      ['asking for its own wait', {}, { retryInMs: 50 }, 'retrying', START + 50],
      ['asking for no wait', {}, { retryInMs: 0 }, 'pending', START],
    ] as const)('fail sets the next status and run time %s', async (_name, job, failure, status, runAt) => {
      const lease = await kit().held(job)
      expect(await kit().run(fail(lease, failure))).toMatchObject({ status, runAt })
      expect(await kit().job(lease.id)).toMatchObject({
        status,
        error: 'boom 42',
        finishedAt: status === 'failed' ? START : null,
      })
    })

    it('fail uses the maximum attempts that are set at that moment', async () => {
      const lease = await kit().held()
      await kit().override('report', { maxAttempts: 1 })
      expect(await kit().run(fail(lease))).toMatchObject({ status: 'failed' })
    })

    it('complete clears the error of an earlier attempt', async () => {
      const lease = await kit().held()
      await kit().run(fail(lease, { retryInMs: 0 }))
      await kit().run(complete(await kit().claimOne()))
      expect(await kit().job(lease.id)).toMatchObject({ status: 'completed', error: null, attempts: 2 })
    })

    it('release does not count as an attempt', async () => {
      const lease = await kit().held({ runAt: START - 700 })
      await kit().advance(100)
      const answer = { id: lease.id, version: 1, status: 'pending', runAt: START - 700, repeated: false }
      expect(await kit().run(release(lease))).toEqual(answer)
      expect(await kit().job(lease.id)).toMatchObject({ ...DONE, attempts: 0, version: 1, runAt: START - 700 })
      expect(await kit().lastAttempt(lease.id)).toMatchObject({
        outcome: 'released',
        statusAfter: 'pending',
        error: null,
      })
    })

    it.each([
      ['a first attempt waits as scheduled', 0, 'scheduled'],
      ['a later attempt waits as retrying', 1, 'retrying'],
    ] as const)('release with a delay: %s', async (_name, failures, status) => {
      const first = await kit().held()
      if (failures > 0) await kit().run(fail(first, { retryInMs: 0 }))
      const lease = failures > 0 ? await kit().claimOne() : first
      await kit().advance(10)
      expect(await kit().run(release(lease, 500))).toMatchObject({ status, runAt: START + 510 })
      expect(await kit().job(lease.id)).toMatchObject({ status, attempts: failures, runAt: START + 510 })
    })

    it('a late complete succeeds while the job was not claimed again', async () => {
      const lease = await kit().held()
      await kit().advance(3_600_000)
      expect(await kit().run(complete(lease))).toMatchObject({ status: 'completed', repeated: false })
    })

    it.each([
      ['complete', complete, 'completed'],
      ['fail', fail, 'cancelled'],
      ['release', release, 'cancelled'],
    ] as const)('%s after a cancel request ends the job', async (_name, settle, status) => {
      const lease = await kit().held()
      await kit().run(jobAction('cancel', lease.id))
      await kit().advance(5)
      expect(await kit().run<'complete' | 'fail' | 'release'>(settle(lease))).toMatchObject({ status, runAt: null })
      const lockedBy = status === 'completed' ? 'worker-1' : null
      expect(await kit().job(lease.id)).toMatchObject({ ...DONE, status, lockedBy, finishedAt: START + 5 })
    })
  })
}
