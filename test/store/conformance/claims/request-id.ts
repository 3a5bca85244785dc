/** Request ids: a repeated claim gets the same jobs, never more, because a response may be lost. */
import { describe, expect, it } from 'vitest'
import type { Lease, OpOf } from '../../../../server/store/ops.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, fail, fullJob, jobAction, plainJob, release } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

export function describeRequestId(harness: StoreHarness): void {
  describe('a request id', () => {
    const kit = eachKit(harness)
    const ask = (overrides: Partial<OpOf<'claim'>> = {}) => claim({ requestId: 'request-1', limit: 2, ...overrides })

    it('a repeated request id returns the same jobs and claims no new ones', async () => {
      await kit().enqueue({}, fullJob({ priority: 9 }), {}, {})
      const first = await kit().run(ask())
      expect(first.jobs).toHaveLength(2)
      await kit().advance(1_000)
      const again = await kit().run(ask())
      expect(again.jobs).toEqual(first.jobs)
      expect((await kit().store.counts()).get('report')).toMatchObject({ processing: 2, pending: 2 })
    })

    it('a request id used twice in one commit claims jobs once', async () => {
      const ids = await kit().enqueue({}, {}, {}, {})
      const outcomes = await kit().outcomes(ask(), ask())
      const jobs = ids.slice(0, 2).map((id) => ({ id, version: 1 }))
      expect(outcomes).toMatchObject([
        { ok: true, value: { jobs } },
        { ok: true, value: { jobs } },
      ])
    })

    it('a request id of an empty claim is still unused', async () => {
      expect((await kit().run(ask())).jobs).toEqual([])
      const id = await kit().add()
      expect((await kit().run(ask())).jobs).toMatchObject([{ id }])
    })

    it('a repeated request id returns only jobs that are still held', async () => {
      await kit().enqueue({}, {}, {}, {})
      const [first, second] = (await kit().run(ask())).jobs
      if (!first || !second) throw new Error('two jobs were there')
      await kit().run(complete(first))
      expect((await kit().run(ask())).jobs).toEqual([second])
      await kit().run(complete(second))
      expect((await kit().run(ask())).jobs).toEqual([])
    })

    it.each([
      ['given back', (via: Kit, lease: Lease) => via.run(release(lease))],
      ['failed', (via: Kit, lease: Lease) => via.run(fail(lease, { retryInMs: 0 }))],
      ['lost', (via: Kit) => via.crash()],
    ])('a request id can be used again once its jobs were %s', async (_name, end) => {
      const id = await kit().add()
      const first = await kit().run(ask())
      await end(kit(), first.jobs[0] ?? { id, version: 1 })
      expect((await kit().job(id)).claimRequestId).toBeNull()
      expect((await kit().run(ask())).jobs).toMatchObject([{ id, version: 2 }])
    })

    it('a request id of another worker returns no jobs and claims none', async () => {
      await kit().enqueue({}, {}, {}, {})
      await kit().run(ask())
      expect((await kit().run(ask({ worker: 'worker-2' }))).jobs).toEqual([])
      expect((await kit().store.counts()).get('report')).toMatchObject({ processing: 2, pending: 2 })
    })

    it('a repeated request id does not return a job that another claim took since', async () => {
      const first = await kit().add()
      await kit().run(ask({ limit: 1 }))
      await kit().crash()
      const taken = await kit().claim({ worker: 'worker-2', limit: 2, requestId: 'request-2' })
      expect(taken.map(({ id }) => id)).toEqual([first])
      expect((await kit().run(ask({ limit: 1 }))).jobs).toEqual([])
    })

    it('a request id can be repeated through another connection', async () => {
      await kit().enqueue({}, {}, {})
      const other = await kit().another()
      const first = await kit().run(ask())
      expect((await other.run(ask())).jobs).toEqual(first.jobs)
    })

    it('a repeated request id returns the same jobs while the queue is paused or the worker drains', async () => {
      await kit().run({ kind: 'seeWorker', worker: 'worker-1', types: null })
      await kit().enqueue({}, {})
      const first = await kit().run(ask())
      await kit().run({ kind: 'putSettings', set: { paused: true }, clear: [], actor: 'operator' })
      await kit().run({ kind: 'drainWorker', worker: 'worker-1', drain: true, actor: 'operator' })
      expect((await kit().run(ask())).jobs).toEqual(first.jobs)
    })
  })

  describe('a claim that settles', () => {
    const kit = eachKit(harness)
    const take = (overrides: Partial<OpOf<'claim'>> = {}) => claim({ settle: true, limit: 2, ...overrides })

    it('a settling claim completes its jobs in the same commit', async () => {
      const ids = await kit().enqueue(fullJob(), {}, {})
      const { outcomes, changes } = await kit().commit(take({ worker: 'worker-6' }))
      expect(outcomes).toMatchObject([{ ok: true, value: { jobs: [{ id: ids[0], version: 1 }, { id: ids[1] }] } }])
      expect(changes.map(({ id, from, to }) => [id, from, to])).toEqual([
        [ids[0], 'pending', 'processing'],
        [ids[0], 'processing', 'completed'],
        [ids[1], 'pending', 'processing'],
        [ids[1], 'processing', 'completed'],
      ])
      expect(await kit().job(ids[0] ?? '')).toMatchObject({
        status: 'completed',
        attempts: 1,
        version: 1,
        leaseUntil: null,
        lockedBy: 'worker-6',
        result: null,
      })
      expect(await kit().lastAttempt(ids[0] ?? '')).toMatchObject({ outcome: 'completed', worker: 'worker-6' })
      expect((await kit().store.counts()).get('report')).toMatchObject({ completed: 2, pending: 1, processing: 0 })
    })

    it('a repeated settling claim returns the same jobs and settles no more', async () => {
      await kit().enqueue({ priority: 1 }, fullJob(), {}, {})
      const first = await kit().run(take({ requestId: 'request-1' }))
      const again = await kit().run(take({ requestId: 'request-1' }))
      expect(again.jobs.map(({ id, payload, version }) => ({ id, payload, version }))).toEqual(
        first.jobs.map(({ id, payload, version }) => ({ id, payload, version })),
      )
      expect((await kit().store.counts()).get('report')).toMatchObject({ completed: 2, pending: 2 })
    })

    it('a settling claim returns no jobs of another worker', async () => {
      await kit().enqueue({}, {}, {})
      await kit().run(take({ requestId: 'request-1' }))
      expect((await kit().run(take({ requestId: 'request-1', worker: 'worker-2' }))).jobs).toEqual([])
    })

    it('a repeated settling claim returns the identical result', async () => {
      await kit().add()
      const first = await kit().run(take({ requestId: 'request-1' }))
      expect((await kit().run(take({ requestId: 'request-1' }))).jobs).toEqual(first.jobs)
    })

    it('a settling claim takes only jobs without a cancellation request', async () => {
      const [first, second] = await kit().enqueue({}, {})
      const [acted, claimed, added] = await kit().outcomes(
        jobAction('cancel', first ?? ''),
        take(),
        enqueue(plainJob()),
      )
      expect([acted?.ok, added?.ok]).toEqual([true, true])
      expect(claimed).toMatchObject({ ok: true, value: { jobs: [{ id: second }, {}] } })
    })
  })
}
