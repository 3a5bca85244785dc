/** Enqueue and deduplication keys. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, enqueue, fail, fullJob, jobAction, nextId, plainJob, release, TRACEPARENT } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeEnqueue(harness: StoreHarness): void {
  describe('a large payload', () => {
    const kit = eachKit(harness)

    it('a large payload is the same at the first claim, the second, and through another connection', async () => {
      const payloads = ['a', 'b', 'ü'].map((letter) => JSON.stringify(letter.repeat(70_000)))
      await kit().enqueue(...payloads.map((payload) => ({ payload })))
      const first = await kit().claim({ limit: 2 })
      expect(first.map(({ payload }) => payload)).toEqual(payloads.slice(0, 2))
      for (const lease of first) await kit().run(release(lease))
      const other = await kit().another()
      expect((await other.claim({ limit: 3 })).map(({ payload }) => payload)).toEqual(payloads)
    })
  })

  describe('enqueue', () => {
    const kit = eachKit(harness)

    it('enqueue stores every column', async () => {
      const input = fullJob()
      await kit().advance(17)
      const results = await kit().run(enqueue(input))
      expect(results).toEqual([{ id: input.id, status: 'pending', deduplicated: false }])
      expect(await kit().job(input.id)).toEqual({
        id: input.id,
        seq: 1,
        type: 'report',
        status: 'pending',
        priority: 2,
        attempts: 0,
        maxAttempts: 4,
        crashes: 0,
        version: 0,
        runAt: START - 3_000,
        leaseUntil: null,
        leaseMs: null,
        lockedBy: null,
        error: null,
        progress: null,
        dedupeKey: 'key-7',
        dedupeUntil: 'finished',
        timeoutMs: 50_000,
        backoff: { kind: 'fixed', baseMs: 6_000, jitter: 0 },
        face: 'face-9',
        cancelRequestedAt: null,
        claimRequestId: null,
        traceparent: TRACEPARENT,
        groupName: 'slots-10',
        groupKey: 'slot-11',
        expiresAt: START + 8_000_000,
        tick: { schedule: 'schedule-12', at: START - 13, previous: START - 14, missed: 15, backfill: true },
        createdAt: START + 17,
        updatedAt: START + 17,
        startedAt: null,
        finishedAt: null,
        payload: { to: 'someone', n: [1, 2] },
        result: null,
      })
    })

    it.each([
      ['no time given', {}, 'pending', START],
      ['no delay', { delayMs: 0 }, 'pending', START],
      ['a delay', { delayMs: 1 }, 'scheduled', START + 1],
      ['an instant gone by', { runAt: START - 1 }, 'pending', START - 1],
      ['this instant', { runAt: START }, 'pending', START],
      ['an instant to come', { runAt: START + 1 }, 'scheduled', START + 1],
    ] as const)('enqueue sets status and run time with %s', async (_name, times, status, runAt) => {
      const job = plainJob(times)
      expect(await kit().run(enqueue(job))).toEqual([{ id: job.id, status, deduplicated: false }])
      expect(await kit().job(job.id)).toMatchObject({ status, runAt })
    })

    it('payloads of any JSON are read back unchanged', async () => {
      for (const value of [null, 0, '', false, [], {}, 'é漢😀\n\u0001', { deep: [{ __proto__x: 1 }] }]) {
        const id = await kit().add({ payload: JSON.stringify(value) })
        expect((await kit().job(id)).payload).toEqual(value)
      }
    })

    it('enqueue numbers jobs in the order given', async () => {
      const ids = await kit().enqueue({}, {}, {})
      await kit().add()
      const seqs = await Promise.all(ids.map(async (id) => (await kit().job(id)).seq))
      expect(seqs).toEqual([1, 2, 3])
    })

    it('enqueue creates the type on first use, with its kind, and refuses another kind', async () => {
      await kit().add({ type: 'topic', kind: 'message' })
      expect(await kit().store.types()).toMatchObject([{ name: 'topic', kind: 'message', declared: {}, override: {} }])
      const error = await kit().refused(enqueue(plainJob({ type: 'topic', kind: 'job' })))
      expect(error.code).toBe('WRONG_STATE')
    })

    it('enqueue stores all of its jobs or none', async () => {
      await kit().add({ type: 'topic', kind: 'message' })
      const [first, second] = [plainJob({ type: 'fresh' }), plainJob({ type: 'topic', kind: 'command' })]
      expect((await kit().refused(enqueue(first, second))).code).toBe('WRONG_STATE')
      expect(await kit().store.get(first.id)).toBeNull()
      expect((await kit().store.types()).map(({ name }) => name)).toEqual(['topic'])
      expect(await kit().harness.countRows()).toMatchObject({ millrace_jobs: 1, millrace_job_bodies: 1 })
    })

    it('a repeated commit returns the jobs that are already stored', async () => {
      const jobs = [plainJob(), plainJob({ delayMs: 5_000 }), plainJob({ dedupeKey: 'once' })]
      const first = await kit().run(enqueue(...jobs))
      await kit().claimOne()
      const again = await kit().run(enqueue(...jobs))
      expect(again.map(({ id, deduplicated }) => ({ id, deduplicated }))).toEqual(
        first.map(({ id }) => ({ id, deduplicated: false })),
      )
      expect(again.map(({ status }) => status)).toEqual(['processing', 'scheduled', 'pending'])
      expect(await kit().harness.countRows()).toMatchObject({ millrace_jobs: 3 })
    })
  })

  describe('a dedupe key', () => {
    const kit = eachKit(harness)

    it('a second job with the same key returns the first, which does not change', async () => {
      const first = await kit().add({ dedupeKey: 'k', delayMs: 9_000 })
      const before = await kit().dump(first)
      await kit().advance(1_000)
      const second = plainJob({ dedupeKey: 'k', payload: '{"n":2}', priority: 9 })
      expect(await kit().run(enqueue(second))).toEqual([{ id: first, status: 'scheduled', deduplicated: true }])
      expect(await kit().dump(first)).toEqual(before)
      expect(await kit().store.get(second.id)).toBeNull()
    })

    it('a dedupe key belongs to its type', async () => {
      await kit().add({ type: 'a', dedupeKey: 'k' })
      const other = plainJob({ type: 'b', dedupeKey: 'k' })
      expect(await kit().run(enqueue(other))).toEqual([{ id: other.id, status: 'pending', deduplicated: false }])
    })

    it('a dedupe key applies within one operation and within one commit', async () => {
      const [a, b, c] = [plainJob({ dedupeKey: 'k' }), plainJob({ dedupeKey: 'k' }), plainJob({ dedupeKey: 'k' })]
      const outcomes = await kit().outcomes(enqueue(a, b), enqueue(c))
      const answer = (deduplicated: boolean) => ({ id: a.id, status: 'pending', deduplicated })
      expect(outcomes).toEqual([
        { ok: true, value: [answer(false), answer(true)] },
        { ok: true, value: [answer(true)] },
      ])
    })

    it('a key until removed is held as long as the job exists', async () => {
      const first = await kit().held({ dedupeKey: 'k', dedupeUntil: 'removed' })
      await kit().run(complete(first))
      const again = await kit().run(enqueue(plainJob({ dedupeKey: 'k' })))
      expect(again).toEqual([{ id: first.id, status: 'completed', deduplicated: true }])
      await kit().run(jobAction('remove', first.id))
      const fresh = plainJob({ dedupeKey: 'k' })
      expect(await kit().run(enqueue(fresh))).toEqual([{ id: fresh.id, status: 'pending', deduplicated: false }])
    })

    it.each(['completed', 'failed', 'cancelled'] as const)(
      'a key until finished is free once the job is %s',
      async (end) => {
        const first = await kit().jobIn(end, { dedupeKey: 'k', dedupeUntil: 'finished' })
        const second = await kit().add({ dedupeKey: 'k', dedupeUntil: 'finished' })
        expect(second).not.toBe(first)
      },
    )

    it('a key until finished is held through every wait and attempt', async () => {
      const key = { dedupeKey: 'k', dedupeUntil: 'finished' } as const
      const id = await kit().add(key)
      const taken = async () => (await kit().add({ ...key, id: nextId() })) === id
      const lease = await kit().claimOne()
      expect(await taken()).toBe(true)
      await kit().run(fail(lease, { retryInMs: 1_000 }))
      expect(await taken()).toBe(true)
      await kit().run(jobAction('runNow', id))
      await kit().run(release(await kit().claimOne(), 500))
      expect(await taken()).toBe(true)
    })

    it('a key freed by a finished job can be held until removed by the next', async () => {
      await kit().jobIn('completed', { dedupeKey: 'k', dedupeUntil: 'finished' })
      const holder = await kit().add({ dedupeKey: 'k', dedupeUntil: 'removed' })
      const again = await kit().run(enqueue(plainJob({ dedupeKey: 'k', dedupeUntil: 'finished' })))
      expect(again).toEqual([{ id: holder, status: 'pending', deduplicated: true }])
    })
  })
}
