/** Pauses and concurrency limits. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, fail, jobAction, plainJob, release, rescue } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

async function setQueue(kit: Kit, set: { paused?: boolean }): Promise<void> {
  await kit.run({ kind: 'putSettings', set, clear: [], actor: 'operator' })
}

export function describeClaimLimits(harness: StoreHarness): void {
  describe('a pause', () => {
    const kit = eachKit(harness)

    it('a paused type keeps its jobs from being claimed, and no others', async () => {
      const [a, b] = await kit().enqueue({ type: 'a', priority: 5 }, { type: 'b' })
      await kit().override('a', { paused: true })
      expect(await kit().claimIds()).toEqual([b])
      expect(await kit().run(claim({ types: ['a'] }))).toEqual({ jobs: [], nextEligibleAt: null })
      await kit().override('a', { paused: false })
      expect(await kit().claimIds()).toEqual([a])
    })

    it('a paused queue keeps all jobs from being claimed', async () => {
      const ids = await kit().enqueue({ type: 'a' }, { type: 'b' })
      await setQueue(kit(), { paused: true })
      expect(await kit().run(claim({ limit: 5 }))).toEqual({ jobs: [], nextEligibleAt: null })
      await setQueue(kit(), { paused: false })
      expect(await kit().claimIds()).toEqual(ids)
    })

    it('a paused queue still accepts new jobs and settles of running ones', async () => {
      const lease = await kit().held()
      await setQueue(kit(), { paused: true })
      const id = await kit().add()
      expect(await kit().run(complete(lease))).toMatchObject({ status: 'completed' })
      expect(await kit().status(id)).toBe('pending')
    })

    it('a pause set through one connection applies to another', async () => {
      const other = await kit().another()
      await kit().add()
      expect(await other.store.ready()).toEqual(new Map([['report', { count: 1, kind: 'job' }]]))
      await kit().override('report', { paused: true })
      expect(await other.claimIds()).toEqual([])
      expect(await other.store.ready()).toEqual(new Map())
    })
  })

  describe('a concurrency limit', () => {
    const kit = eachKit(harness)

    async function limited(max: number, jobs: number): Promise<string[]> {
      await kit().declare('report', { maxConcurrency: max })
      return kit().enqueue(...Array.from({ length: jobs }, () => ({})))
    }

    it('a concurrency limit bounds the running jobs, over one claim and over many', async () => {
      const ids = await limited(2, 4)
      expect(await kit().claimIds({ limit: 3 })).toEqual(ids.slice(0, 2))
      expect(await kit().run(claim())).toEqual({ jobs: [], nextEligibleAt: null })
    })

    it('a concurrency limit does not affect other types', async () => {
      await limited(1, 2)
      await kit().add({ type: 'free' })
      await kit().add({ type: 'free' })
      expect((await kit().claim({ limit: 10 })).map(({ type }) => type)).toEqual(['report', 'free', 'free'])
    })

    it.each([
      ['a complete', (kit: Kit, lease: { id: string; version: number }) => kit.run(complete(lease))],
      ['a fail', (kit: Kit, lease: { id: string; version: number }) => kit.run(fail(lease))],
      ['a release', (kit: Kit, lease: { id: string; version: number }) => kit.run(release(lease, 60_000))],
      ['a rescue', (kit: Kit) => kit.crash()],
    ])('a concurrency limit has a free slot after %s', async (_name, free) => {
      const [, second] = await limited(1, 2)
      const lease = await kit().claimOne()
      expect(await kit().claimIds()).toEqual([])
      await free(kit(), lease)
      const again = await kit().claimIds({ limit: 1 })
      expect(again).toEqual([second])
    })

    it('a running job keeps its slot while its cancellation is requested', async () => {
      await limited(1, 2)
      const lease = await kit().claimOne()
      await kit().run(jobAction('cancel', lease.id))
      expect(await kit().claimIds()).toEqual([])
    })

    it('a complete frees a slot for a claim in the same commit', async () => {
      const [first, second] = await limited(1, 2)
      const lease = await kit().claimOne()
      const outcomes = await kit().outcomes(claim(), complete(lease))
      expect(lease.id).toBe(first)
      expect(outcomes).toMatchObject([
        { ok: true, value: { jobs: [{ id: second }] } },
        { ok: true, value: { id: first } },
      ])
    })

    it('a concurrency limit is shared by all claims of one commit', async () => {
      const ids = await limited(3, 6)
      const outcomes = await kit().outcomes(claim({ limit: 2 }), claim({ limit: 2 }), claim({ limit: 2 }))
      const jobs = (...some: (string | undefined)[]) => ({ ok: true, value: { jobs: some.map((id) => ({ id })) } })
      expect(outcomes).toMatchObject([jobs(ids[0], ids[1]), jobs(ids[2]), jobs()])
    })

    it('a concurrency limit applies across connections', async () => {
      const ids = await limited(3, 6)
      const other = await kit().another()
      expect(await kit().claimIds({ limit: 2 })).toEqual(ids.slice(0, 2))
      expect(await other.claimIds({ limit: 2 })).toEqual(ids.slice(2, 3))
      expect(await kit().claimIds({ limit: 2 })).toEqual([])
    })

    it('a limit below the number of running jobs allows no claim until enough have ended', async () => {
      await limited(3, 5)
      const leases = await kit().claim({ limit: 3 })
      await kit().override('report', { maxConcurrency: 1 })
      for (const [index, lease] of leases.entries()) {
        await kit().run(complete(lease))
        expect(await kit().claimIds()).toHaveLength(index === 2 ? 1 : 0)
      }
    })

    it('an override with null switches a declared limit off until it is cleared', async () => {
      await limited(1, 3)
      await kit().override('report', { maxConcurrency: null })
      expect(await kit().claimIds({ limit: 2 })).toHaveLength(2)
      await kit().override('report', {}, ['maxConcurrency'])
      expect(await kit().claimIds()).toEqual([])
    })

    it('a job that its claim settles does not use a slot', async () => {
      const ids = await limited(1, 3)
      expect(await kit().claimIds({ limit: 1, settle: true })).toEqual(ids.slice(0, 1))
      expect(await kit().claimIds({ limit: 1 })).toEqual(ids.slice(1, 2))
    })
  })

  describe('a claim that finds nothing', () => {
    const kit = eachKit(harness)

    it('an empty claim returns when the next job of its type becomes due', async () => {
      await kit().enqueue({ delayMs: 9_000 }, { delayMs: 4_000 })
      expect(await kit().run(claim())).toEqual({ jobs: [], nextEligibleAt: START + 4_000 })
    })

    it('an empty claim returns no time when only an event can make a job ready', async () => {
      expect(await kit().run(claim())).toEqual({ jobs: [], nextEligibleAt: null })
      await kit().held()
      expect((await kit().run(claim())).nextEligibleAt).toBeNull()
    })

    it('a claim gets the job that a rescue frees in the same commit', async () => {
      const lease = await kit().held()
      await kit().advance(30_000)
      const [claimed] = await kit().outcomes(claim(), rescue)
      expect(claimed).toMatchObject({ ok: true, value: { jobs: [{ id: lease.id, version: 2 }] } })
    })

    it('a claim gets the job that the same commit enqueues', async () => {
      const job = plainJob()
      const [claimed] = await kit().outcomes(claim(), enqueue(job))
      expect(claimed).toMatchObject({ ok: true, value: { jobs: [{ id: job.id }] } })
    })
  })
}
