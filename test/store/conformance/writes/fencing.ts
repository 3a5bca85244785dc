/** Fencing: a stale claim changes nothing, in any operation. */
import { describe, expect, it } from 'vitest'
import type { Lease, Op } from '../../../../server/store/ops.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, fullJob, heartbeat, log, nextId, progress, release, rescue } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

const VERBS: Record<string, (lease: Lease) => Op> = {
  complete: (lease) => complete(lease),
  fail: (lease) => fail(lease, { retry: false }),
  release: (lease) => release(lease, 1_000),
  progress: (lease) => progress(lease, 99),
  log: (lease) => log(lease, 'from the grave'),
}

/** Ways in which a claim becomes stale. Each returns the stale claim. */
const STALE: Record<string, (kit: Kit) => Promise<Lease>> = {
  'taken over by another worker': async (kit) => {
    const lease = await kit.held(fullJob())
    await kit.crash()
    await kit.claimOne({ worker: 'worker-2' })
    return lease
  },
  'taken over through another connection': async (kit) => {
    const lease = await kit.held(fullJob())
    const other = await kit.another()
    await other.crash()
    await other.claimOne({ worker: 'worker-2' })
    return lease
  },
  'rescued and waiting': async (kit) => {
    const lease = await kit.held(fullJob())
    await kit.crash()
    return lease
  },
  'rescued for the last time': async (kit) => {
    const lease = await kit.held(fullJob({ maxAttempts: 1 }))
    await kit.crash()
    return lease
  },
  'of a version to come': async (kit) => {
    const { id, version } = await kit.held(fullJob())
    return { id, version: version + 1 }
  },
  'of a job never claimed': async (kit) => ({ id: await kit.add(fullJob()), version: 1 }),
  'of version 0': async (kit) => ({ id: await kit.add(fullJob()), version: 0 }),
}

export function describeFencing(harness: StoreHarness): void {
  describe('a stale claim', () => {
    const kit = eachKit(harness)
    const cases = Object.keys(STALE).flatMap((state) => Object.keys(VERBS).map((verb) => [verb, state] as const))

    it.each(cases)('a stale claim is refused by %s when %s, and the row does not change', async (verb, state) => {
      const lease = await STALE[state]?.(kit())
      const make = VERBS[verb]
      if (!lease || !make) throw new Error('no such case')
      const before = await kit().dump(lease.id)
      const counts = await kit().store.counts()
      await kit().advance(777)
      const { outcomes, changes } = await kit().commit(make(lease))
      expect(outcomes).toMatchObject([{ ok: false, error: { code: 'STALE_CLAIM' } }])
      expect(changes).toEqual([])
      expect(await kit().dump(lease.id)).toEqual(before)
      expect(await kit().store.counts()).toEqual(counts)
    })

    it.each(Object.keys(STALE))('a stale claim is reported lost by a heartbeat when %s', async (state) => {
      const lease = await STALE[state]?.(kit())
      if (!lease) throw new Error('no such case')
      const before = await kit().dump(lease.id)
      await kit().advance(777)
      const answer = await kit().run(heartbeat([lease], 60_000))
      expect(answer).toEqual({ extended: [], lost: [lease.id], cancelled: [], draining: false })
      expect(await kit().dump(lease.id)).toEqual(before)
    })

    it('a stale claim does not affect the worker that took over', async () => {
      const old = await kit().held()
      await kit().crash()
      const current = await kit().claimOne({ worker: 'worker-2' })
      await kit().outcomes(complete(old), fail(old), release(old), progress(old), log(old, 'x'))
      expect(await kit().run(complete(current))).toMatchObject({ status: 'completed', version: 2, repeated: false })
    })

    it('a claim is still current in the commit that would rescue it: settles come first', async () => {
      const lease = await kit().held()
      await kit().advance(30_000)

      const [rescued, done] = await kit().outcomes(rescue, complete(lease))
      expect(done).toMatchObject({ ok: true, value: { status: 'completed' } })
      expect(rescued).toMatchObject({ ok: true, value: { rescued: 0 } })
    })

    it('a version is never used again, not even after a manual retry', async () => {
      const lease = await kit().held()
      await kit().run(fail(lease, { retry: false }))
      await kit().run({ kind: 'jobAction', action: 'retry', id: lease.id, actor: null })
      const next = await kit().claimOne()
      expect([next.version, next.attempts]).toEqual([2, 1])
      expect((await kit().refused(complete(lease))).code).toBe('STALE_CLAIM')
    })
  })

  describe('a heartbeat', () => {
    const kit = eachKit(harness)

    it('a heartbeat extends its leases by the requested time or by that of the claim', async () => {
      await kit().enqueue({}, {})
      const [a, b] = await kit().claim({ limit: 2, leaseMs: 20_000 })
      if (!a || !b) throw new Error('two jobs were there')
      await kit().advance(5_000)
      const answer = await kit().run(heartbeat([a, b]))
      expect(answer).toEqual({ extended: [a.id, b.id], lost: [], cancelled: [], draining: false })
      expect((await kit().job(a.id)).leaseUntil).toBe(a.startedAt + 25_000)
      await kit().run(heartbeat([b], 90_000))
      expect(await kit().job(b.id)).toMatchObject({ leaseUntil: b.startedAt + 95_000, leaseMs: 90_000 })
    })

    it('a heartbeat may shorten a lease', async () => {
      const lease = await kit().held({}, { leaseMs: 60_000 })
      await kit().run(heartbeat([lease], 1_000))
      expect((await kit().job(lease.id)).leaseUntil).toBe(lease.startedAt + 1_000)
    })

    it('a heartbeat reports each lease as extended, lost or cancelled', async () => {
      await kit().enqueue({}, {}, {})
      const [fine, gone, wanted] = await kit().claim({ limit: 3 })
      if (!fine || !gone || !wanted) throw new Error('three jobs were there')
      await kit().run(complete(gone))
      await kit().run({ kind: 'jobAction', action: 'cancel', id: wanted.id, actor: null })
      await kit().advance(1_000)
      const unknown = { id: nextId(), version: 1 }
      const answer = await kit().run(heartbeat([wanted, unknown, fine, gone]))
      expect(answer).toEqual({
        extended: [fine.id],
        lost: [unknown.id, gone.id],
        cancelled: [wanted.id],
        draining: false,
      })
      expect((await kit().job(wanted.id)).leaseUntil).toBe(wanted.leaseUntil + 1_000)
    })

    it('a heartbeat extends a lease that has ended but was not taken over', async () => {
      const lease = await kit().held()
      await kit().advance(31_000)
      const [beat, swept] = await kit().outcomes(heartbeat([lease]), rescue)
      expect(beat).toMatchObject({ ok: true, value: { extended: [lease.id] } })
      expect(swept).toMatchObject({ ok: true, value: { rescued: 0 } })
    })
  })
}
