/** Many equal operations in one commit, which a store may write with one statement: each keeps its own outcome. */
import { describe, expect, it } from 'vitest'
import type { ClaimOutcome, Lease } from '../../../../server/store/ops.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, fail, heartbeat, log, plainJob, progress, release } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

/** More than one statement of any store holds, and a rest. */
const MANY = 21

const many = <T>(make: (index: number) => T) => Array.from({ length: MANY }, (_, index) => make(index))

export function describeTogether(harness: StoreHarness): void {
  describe('equal operations of one commit', () => {
    const kit = eachKit(harness)

    it('new jobs keep their order and their payloads, with and without options', async () => {
      const jobs = many((n) => plainJob({ payload: `{"n":${n}}`, ...(n % 10 === 5 && { maxAttempts: 3 }) }))
      await kit().outcomes(...jobs.map((job) => enqueue(job)))
      const claimed = await kit().claim({ limit: MANY })
      expect(claimed.map(({ id, payload }) => [id, JSON.parse(payload)])).toEqual(jobs.map(({ id }, n) => [id, { n }]))
    })

    it('a repeated commit stores the missing jobs and returns the others as they are', async () => {
      const jobs = many((n) => plainJob({ payload: `{"n":${n}}` }))
      await kit().outcomes(...jobs.filter((_, n) => n % 7 === 3 || n > 18).map((job) => enqueue(job)))
      const first = await kit().claimOne()
      const { outcomes, changes } = await kit().commit(...jobs.map((job) => enqueue(job)))
      const status = (id: string) => (id === first.id ? 'processing' : 'pending')
      expect(outcomes).toEqual(
        jobs.map(({ id }) => ({ ok: true, value: [{ id, status: status(id), deduplicated: false }] })),
      )
      expect(changes).toHaveLength(MANY - 5)
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
      for (const [n, { id }] of jobs.entries()) expect((await kit().job(id)).payload).toEqual({ n })
    })

    it('the same new job twice in a commit is stored once', async () => {
      const jobs = many(() => plainJob())
      await kit().outcomes(...jobs.map((job) => enqueue(job)), ...jobs.map((job) => enqueue(job)))
      expect(await kit().harness.countRows()).toMatchObject({ millrace_jobs: MANY, millrace_job_bodies: MANY })
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('a refused operation takes back its own new jobs and no other', async () => {
      await kit().add({ type: 'topic', kind: 'message' })
      const [before, after] = [many(() => plainJob()), many(() => plainJob())]
      const refused = enqueue(...many(() => plainJob()), plainJob({ type: 'topic' }))
      const outcomes = await kit().outcomes(
        ...before.map((job) => enqueue(job)),
        refused,
        ...after.map((job) => enqueue(job)),
      )
      expect(outcomes.filter(({ ok }) => !ok)).toHaveLength(1)
      expect((await kit().claimIds()).toSorted()).toEqual([...before, ...after].map(({ id }) => id).toSorted())
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('completes are stored when an operation after them is refused', async () => {
      await kit().add({ type: 'topic', kind: 'message' })
      await kit().enqueue(...many(() => ({})))
      const leases = await kit().claim({ limit: MANY })
      const refused = enqueue(plainJob(), plainJob({ type: 'topic' }))
      const outcomes = await kit().outcomes(...leases.map((lease) => complete(lease)), refused)
      expect(outcomes.filter(({ ok }) => !ok)).toHaveLength(1)
      expect((await kit().store.counts()).get('report')).toMatchObject({ completed: MANY, processing: 0 })
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('claims that were lost through another connection refuse their own completes and no other', async () => {
      await kit().enqueue(...many((n) => ({ maxAttempts: n + 1 })))
      const leases = await kit().claim({ limit: MANY })
      const other = await kit().another()
      const lost = leases.filter((_, n) => n === 7 || n === 15)
      for (const lease of lost) await other.run(release(lease))
      const again = await other.claim({ worker: 'worker-2', limit: MANY })
      const { outcomes, changes } = await kit().commit(
        ...leases.slice(0, 10).map((lease) => complete(lease)),
        heartbeat(leases),
        ...leases.slice(10).map((lease) => complete(lease)),
      )
      const codes = outcomes.map((outcome) => outcome.ok || outcome.error.code)
      const expected = leases.map((lease) => (lost.includes(lease) ? 'STALE_CLAIM' : true))
      expect(codes).toEqual([...expected.slice(0, 10), true, ...expected.slice(10)])
      expect(changes).toHaveLength(MANY - 2)
      for (const { id, version } of again) {
        expect(await kit().job(id)).toMatchObject({ status: 'processing', version, lockedBy: 'worker-2' })
      }
      expect((await kit().store.results(lost.map(({ id }) => id))).size).toBe(0)
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('a job that is completed twice in a commit is completed once', async () => {
      await kit().enqueue(...many(() => ({})))
      const leases = await kit().claim({ limit: MANY })
      const { outcomes, changes } = await kit().commit(
        ...leases.map((lease) => complete(lease, '1')),
        ...leases.map((lease) => complete(lease, '2')),
      )
      const repeated = outcomes.map((outcome) => outcome.ok && outcome.value)
      expect(repeated).toMatchObject([...many(() => ({ repeated: false })), ...many(() => ({ repeated: true }))])
      expect(changes).toHaveLength(MANY)
      expect([...(await kit().store.results(leases.map(({ id }) => id))).values()]).toEqual(many(() => 1))
    })

    it('completes of several versions in a commit are all stored', async () => {
      await kit().enqueue(...many(() => ({})))
      for (const lease of (await kit().claim({ limit: MANY })).slice(0, 9)) await kit().run(release(lease))
      await kit().enqueue(...many(() => ({})))
      const leases = await kit().claim({ limit: 2 * MANY })
      expect(new Set(leases.map(({ version }) => version)).size).toBe(2)
      const outcomes = await kit().outcomes(...leases.map((lease) => complete(lease)))
      expect(outcomes.every(({ ok }) => ok)).toBe(true)
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('completes free their keys for new jobs of the same commit', async () => {
      await kit().enqueue(...many((n) => ({ dedupeKey: `k${n}`, dedupeUntil: 'finished' as const })))
      const leases = await kit().claim({ limit: MANY })
      const next = many((n) => plainJob({ dedupeKey: `k${n}`, dedupeUntil: 'finished' }))
      const outcomes = await kit().outcomes(
        ...leases.map((lease) => complete(lease)),
        ...next.map((job) => enqueue(job)),
      )
      expect(outcomes.every(({ ok }) => ok)).toBe(true)
      expect(await kit().claimIds()).toEqual(next.map(({ id }) => id))
    })

    it.each([
      ['release', release],
      ['fail', fail],
      ['progress', progress],
      ['log', (lease: Lease) => log(lease, 'too late')],
    ])('a %s after completes finds them completed', async (_, late) => {
      await kit().enqueue(...many(() => ({})))
      const leases = await kit().claim({ limit: MANY })
      const [first] = leases
      if (!first) throw new Error('no job was claimed')
      const outcomes = await kit().outcomes(...leases.map((lease) => complete(lease)), late(first))
      expect(outcomes.map(({ ok }) => ok)).toEqual([...many(() => true), false])
      expect((await kit().store.counts()).get('report')).toMatchObject({ completed: MANY })
    })

    it('each claim of a commit gets its jobs for its own worker, request and time', async () => {
      await kit().enqueue(...many((n) => (n % 4 === 1 ? { timeoutMs: 5_000 } : {})))
      const claims = [7, 9, 1, 4].map((limit, n) =>
        claim({ worker: `worker-${n}`, limit, requestId: `r${n}`, leaseMs: 10_000 * (n + 1) }),
      )
      for (const wanted of [claims, claims.slice(0, 1)]) {
        for (const [n, outcome] of (await kit().outcomes(...wanted)).entries()) {
          const { jobs } = outcome.ok ? (outcome.value as ClaimOutcome) : { jobs: [] }
          expect(jobs).toHaveLength(wanted[n]?.limit ?? 0)
          for (const { id, leaseUntil, timeoutMs } of jobs) {
            const leaseMs = 10_000 * (n + 1)
            expect(await kit().job(id)).toMatchObject({ lockedBy: `worker-${n}`, leaseMs, leaseUntil })
            expect(leaseUntil - kit().clock.now()).toBeLessThanOrEqual(leaseMs)
            expect([5_000, null]).toContain(timeoutMs)
          }
        }
      }
    })
  })
}
