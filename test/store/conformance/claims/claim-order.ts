/** Claim order, and the job that a claim returns. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, fail, fullJob, release, TRACEPARENT } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeClaimOrder(harness: StoreHarness): void {
  describe('a claim', () => {
    const kit = eachKit(harness, { leaseMs: 77_000 })

    it('a claim returns the job with everything a worker needs', async () => {
      const id = await kit().add(fullJob())
      await kit().advance(250)
      const { jobs, nextEligibleAt } = await kit().run(claim({ worker: 'worker-9', leaseMs: 20_000 }))
      expect(jobs).toEqual([
        {
          id,
          seq: 1,
          type: 'report',
          payload: '{"to":"someone","n":[1,2]}',
          version: 1,
          attempts: 1,
          maxAttempts: 4,
          crashes: 0,
          priority: 2,
          runAt: START - 3_000,
          createdAt: START,
          startedAt: START + 250,
          leaseUntil: START + 20_250,
          timeoutMs: 50_000,
          traceparent: TRACEPARENT,
          tick: JSON.stringify(fullJob().tick),
        },
      ])
      expect(nextEligibleAt).toBeNull()
    })

    it('a claim stores the worker, the start and the end of the lease', async () => {
      const id = await kit().add(fullJob())
      await kit().advance(250)
      await kit().claimOne({ worker: 'worker-9', leaseMs: 20_000, requestId: 'request-3' })
      expect(await kit().job(id)).toMatchObject({
        status: 'processing',
        attempts: 1,
        version: 1,
        lockedBy: 'worker-9',
        leaseMs: 20_000,
        leaseUntil: START + 20_250,
        startedAt: START + 250,
        updatedAt: START + 250,
        createdAt: START,
        claimRequestId: 'request-3',
        finishedAt: null,
        progress: null,
      })
    })

    it('a claim uses the attempts and the timeout of the type when the job sets none', async () => {
      await kit().add()
      await kit().override('report', { maxAttempts: 8, timeoutMs: 70_000 })
      const first = await kit().claimOne({ requestId: 'request-4' })
      expect(first).toMatchObject({ maxAttempts: 8, timeoutMs: 70_000 })
      expect(await kit().claimOne({ requestId: 'request-4' })).toEqual(first)
    })

    it.each([
      ['asked for', { leaseMs: 9_000 }, {}, {}, 9_000],
      ['the timeout of the job', { leaseMs: null }, { timeoutMs: 40_000 }, { timeoutMs: 60_000 }, 40_000],
      ['the timeout of the type', { leaseMs: null }, {}, { timeoutMs: 60_000 }, 60_000],
      ['the default of the queue', { leaseMs: null }, {}, {}, 77_000],
    ] as const)('a claim leases the job for the time %s', async (_name, options, job, settings, leaseMs) => {
      await kit().declare('report', settings)
      await kit().add(job)
      expect((await kit().claimOne(options)).leaseUntil).toBe(START + leaseMs)
    })

    it('each claim increments attempts and version', async () => {
      await kit().add()
      const first = await kit().claimOne()
      await kit().run(release(first))
      const second = await kit().claimOne()
      await kit().run(fail(second, { retryInMs: 0 }))
      const third = await kit().claimOne()
      const both = [first, second, third].map(({ attempts, version }) => [attempts, version])
      expect(both).toEqual([
        [1, 1],
        [1, 2],
        [2, 3],
      ])
    })

    it('a claim returns at most `limit` jobs and leaves the rest', async () => {
      const ids = await kit().enqueue({}, {}, {})
      expect(await kit().claimIds({ limit: 2 })).toEqual(ids.slice(0, 2))
      expect(await kit().claimIds({ limit: 2 })).toEqual(ids.slice(2))
      expect(await kit().claimIds({ limit: 2 })).toEqual([])
    })
  })

  describe('the order of claims', () => {
    const kit = eachKit(harness)

    it('claim order is priority, then due time, then age', async () => {
      const [late, old, young, urgent, lazy] = await kit().enqueue(
        { runAt: START - 10 },
        { runAt: START - 20 },
        { runAt: START - 20 },
        { priority: 1, runAt: START },
        { priority: -1, runAt: START - 99_999 },
      )
      expect(await kit().claimIds()).toEqual([urgent, old, young, late, lazy])
    })

    it('claim order is the same across types', async () => {
      const [a2, b1, c3, b9] = await kit().enqueue(
        { type: 'a', runAt: START - 20 },
        { type: 'b', runAt: START - 30 },
        { type: 'c', runAt: START - 10 },
        { type: 'b', priority: 9, runAt: START },
      )
      expect(await kit().claimIds()).toEqual([b9, b1, a2, c3])
    })

    it('claim order breaks a tie between types by age', async () => {
      const ids = await kit().enqueue({ type: 'b' }, { type: 'a' }, { type: 'b' }, { type: 'a' })
      expect(await kit().claimIds()).toEqual(ids)
    })

    it('a failed job is ordered by the time of its retry', async () => {
      const first = await kit().held()
      await kit().run(fail(first, { retryInMs: 5_000 }))
      await kit().advance(4_000)
      const earlier = await kit().add()
      await kit().advance(2_000)
      const later = await kit().add()
      expect(await kit().claimIds()).toEqual([earlier, first.id, later])
    })

    it('a released job keeps its place in claim order', async () => {
      const [first, second] = await kit().enqueue({}, {})
      await kit().advance(1_000)
      const lease = await kit().claimOne()
      await kit().run(release(lease))
      expect(await kit().claimIds()).toEqual([first, second])
    })

    it('claim order holds for random jobs and claim sizes', async () => {
      const jobs = fc.array(fc.record({ type: fc.nat(2), priority: fc.integer({ min: -2, max: 2 }), ago: fc.nat(3) }), {
        minLength: 1,
        maxLength: 20,
      })
      let run = 0
      await fc.assert(
        fc.asyncProperty(
          jobs,
          fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 30, maxLength: 30 }),
          async (specs, sizes) => {
            run += 1
            const types = [0, 1, 2].map((n) => `run-${run}-${n}`)
            const ids = await kit().enqueue(
              ...specs.map(({ type, priority, ago }) => ({ type: types[type] ?? '', priority, runAt: START - ago })),
            )
            const expected = specs
              .map((spec, index) => ({ ...spec, id: ids[index], index }))
              .toSorted((a, b) => b.priority - a.priority || b.ago - a.ago || a.index - b.index)
              .map(({ id }) => id)
            const got: string[] = []
            for (const limit of sizes) got.push(...(await kit().claimIds({ types, limit })))
            expect(got).toEqual(expected)
          },
        ),
        { numRuns: 25 },
      )
    })
  })

  describe('the types of a claim', () => {
    const kit = eachKit(harness)

    it('a claim takes jobs of the types it lists, each counted once', async () => {
      const [a, , c] = await kit().enqueue({ type: 'a' }, { type: 'b' }, { type: 'c' })
      expect(await kit().claimIds({ types: ['c', 'a', 'c', 'unknown'] })).toEqual([a, c])
    })

    it('a claim without types takes all types of kind job', async () => {
      const [job, topic, command] = await kit().enqueue(
        { type: 'mail' },
        { type: 'topic', kind: 'message' },
        { type: 'shell', kind: 'command' },
      )
      expect(await kit().claimIds()).toEqual([job])
      expect(await kit().claimIds({ types: ['topic'] })).toEqual([topic])
      expect(await kit().claimIds({ types: ['shell', 'mail'] })).toEqual([command])
    })

    it('a claim with a kind takes only types of that kind, listed or not', async () => {
      const [job, topic, command] = await kit().enqueue(
        { type: 'mail' },
        { type: 'topic', kind: 'message' },
        { type: 'shell', kind: 'command' },
      )
      expect(await kit().claimIds({ types: ['mail', 'shell'], kindOfType: 'message' })).toEqual([])
      expect(await kit().claimIds({ types: ['mail', 'topic'], kindOfType: 'message' })).toEqual([topic])
      expect(await kit().claimIds({ kindOfType: 'command' })).toEqual([command])
      expect(await kit().claimIds({ types: ['mail', 'topic'], kindOfType: 'job' })).toEqual([job])
    })
  })
}
