/** Workers, draining, and leadership of upkeep. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, heartbeat } from '../fixtures.ts'
import { eachKit, type Kit, only } from '../kit.ts'

const see = (worker: string, types: readonly string[] | null = null) => ({ kind: 'seeWorker', worker, types }) as const
const drain = (worker: string, on = true) => ({ kind: 'drainWorker', worker, drain: on, actor: 'anna' }) as const

export function describeWorkers(harness: StoreHarness): void {
  describe('a worker', () => {
    const kit = eachKit(harness)

    it('a worker is listed with its types, start and last contact', async () => {
      await kit().run(see('worker-1', ['a', 'b']))
      await kit().advance(40)
      await kit().run(see('worker-2'))
      await kit().run(see('worker-1', ['b', 'c']))
      expect(await kit().store.workers()).toEqual([
        {
          name: 'worker-1',
          types: ['b', 'c'],
          startedAt: START,
          seenAt: START + 40,
          drainRequestedAt: null,
          processing: 0,
          slots: null,
          version: null,
        },
        {
          name: 'worker-2',
          types: [],
          startedAt: START + 40,
          seenAt: START + 40,
          drainRequestedAt: null,
          processing: 0,
          slots: null,
          version: null,
        },
      ])
    })

    it('a worker is listed with the last details it reported', async () => {
      const listed = async () =>
        (await kit().store.workers()).map(({ slots, version, types }) => [slots, version, types])
      const about = { slots: 10, version: 'shop 2.14.0' }
      await kit().run({ ...see('worker-1', ['a']), about })
      await kit().run(see('worker-2'))
      expect(await listed()).toEqual([
        [10, 'shop 2.14.0', ['a']],
        [null, null, []],
      ])
      // A heartbeat reports no details, not even in the commit of a claim.
      await kit().run(see('worker-1'))
      await kit().outcomes(see('worker-2'), { ...see('worker-2', ['b']), about: { slots: 3 } }, see('worker-2'))
      expect(await listed()).toEqual([
        [10, 'shop 2.14.0', ['a']],
        [3, null, ['b']],
      ])
      await kit().outcomes(see('worker-1', ['c']), { ...see('worker-2', ['b']), about: { version: 'v4' } })
      expect(await listed()).toEqual([
        [null, null, ['c']],
        [null, 'v4', ['b']],
      ])
    })

    it('a worker is listed with the number of its running jobs', async () => {
      await kit().run(see('worker-1'))
      await kit().run(see('worker-2'))
      await kit().enqueue({}, {}, {})
      const [first] = await kit().claim({ worker: 'worker-1', limit: 2 })
      await kit().claim({ worker: 'worker-2' })
      if (!first) throw new Error('a job was there')
      await kit().run(complete(first))
      expect((await kit().store.workers()).map(({ processing }) => processing)).toEqual([1, 1])
    })

    it('a draining worker gets no jobs, and its heartbeat reports the drain', async () => {
      await kit().run(see('worker-1'))
      const lease = await kit().held()
      await kit().add()
      await kit().advance(70)
      await kit().run(drain('worker-1'))
      expect(only(await kit().store.workers()).drainRequestedAt).toBe(START + 70)
      expect(await kit().run(claim())).toEqual({ jobs: [], nextEligibleAt: null, draining: true })
      expect(await kit().run(heartbeat([lease]))).toMatchObject({ draining: true, extended: [lease.id] })
      expect(await kit().run(complete(lease))).toMatchObject({ status: 'completed' })
      expect(await kit().claimIds({ worker: 'worker-2' })).toHaveLength(1)
    })

    it('a worker keeps draining when it is seen again, until the drain is withdrawn', async () => {
      await kit().run(see('worker-1'))
      await kit().run(drain('worker-1'))
      await kit().run(see('worker-1'))
      await kit().add()
      expect(await kit().claimIds()).toEqual([])
      await kit().run(drain('worker-1', false))
      expect(await kit().claimIds()).toHaveLength(1)
      expect(only(await kit().store.workers()).drainRequestedAt).toBeNull()
    })

    it('an unknown worker cannot drain', async () => {
      expect((await kit().refused(drain('ghost'))).code).toBe('NOT_FOUND')
    })
  })

  describe('leadership', () => {
    const kit = eachKit(harness)
    const lead = async (via: Kit, holder: string, ttlMs = 10_000) =>
      (await via.run({ kind: 'lead', holder, ttlMs, takeOver: false })).leads

    it('leadership has one holder at a time, across connections', async () => {
      const other = await kit().another()
      expect(await lead(kit(), 'one')).toBe(true)
      expect(await lead(other, 'two')).toBe(false)
      expect(await lead(kit(), 'one')).toBe(true)
    })

    it('leadership can be taken over when it expires, and not before', async () => {
      const other = await kit().another()
      await lead(kit(), 'one')
      await kit().advance(9_999)
      expect(await lead(other, 'two')).toBe(false)
      await kit().advance(1)
      expect(await lead(other, 'two')).toBe(true)
      expect(await lead(kit(), 'one')).toBe(false)
    })

    it('leadership lasts while it is renewed', async () => {
      await lead(kit(), 'one')
      for (let n = 0; n < 3; n++) {
        await kit().advance(6_000)
        expect(await lead(kit(), 'one')).toBe(true)
        expect(await lead(kit(), 'two')).toBe(false)
      }
    })

    it('leadership is free when its holder resigns; only the holder can resign', async () => {
      await lead(kit(), 'one')
      await kit().run({ kind: 'resign', holder: 'two' })
      expect(await lead(kit(), 'two')).toBe(false)
      await kit().run({ kind: 'resign', holder: 'one' })
      expect(await lead(kit(), 'two')).toBe(true)
    })

    it('leadership can be taken over by force', async () => {
      await lead(kit(), 'one')
      expect(await kit().run({ kind: 'lead', holder: 'two', ttlMs: 10_000, takeOver: true })).toEqual({ leads: true })
      expect(await lead(kit(), 'one')).toBe(false)
      expect(await lead(kit(), 'two')).toBe(true)
    })

    it('one of two candidates in the same commit gets leadership', async () => {
      const outcomes = await kit().outcomes(
        { kind: 'lead', holder: 'one', ttlMs: 1_000, takeOver: false },
        { kind: 'lead', holder: 'two', ttlMs: 1_000, takeOver: false },
      )
      expect(outcomes).toEqual([
        { ok: true, value: { leads: true } },
        { ok: true, value: { leads: false } },
      ])
    })
  })
}
