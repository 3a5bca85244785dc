/** Repeated settles: the same call again succeeds, another call is stale. */
import { describe, expect, it } from 'vitest'
import type { Lease, OpOf } from '../../../../server/store/ops.ts'
import { CRASH_ERROR } from '../../../../shared/job-errors.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, nextId, release } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeSettleRepeat(harness: StoreHarness): void {
  describe('a repeated settle', () => {
    const kit = eachKit(harness)
    type Settle = OpOf<'complete'> | OpOf<'fail'> | OpOf<'release'>
    const verbs: Record<string, (lease: Lease) => Settle> = {
      complete: (lease) => complete(lease),
      fail: (lease) => fail(lease),
      release: (lease) => release(lease, 250),
    }
    const settle = (verb: string, lease: Lease): Settle => {
      const make = verbs[verb]
      if (!make) throw new Error(`no verb ${verb}`)
      return make(lease)
    }

    it.each(Object.keys(verbs))('a repeated %s returns the recorded outcome and changes nothing', async (verb) => {
      const lease = await kit().held()
      const first = await kit().run<Settle['kind']>(settle(verb, lease))
      const before = await kit().dump(lease.id)
      await kit().advance(100)
      expect(await kit().run<Settle['kind']>(settle(verb, lease))).toEqual({ ...first, repeated: true })
      expect(await kit().dump(lease.id)).toEqual(before)
    })

    it.each(['fail', 'release'])('a repeated %s returns its outcome long after the job has changed', async (verb) => {
      const lease = await kit().held()
      const first = await kit().run<Settle['kind']>(settle(verb, lease))
      await kit().advance(60_000)
      await kit().run(complete(await kit().claimOne()))
      expect(await kit().run<Settle['kind']>(settle(verb, lease))).toEqual({ ...first, repeated: true })
      expect(await kit().status(lease.id)).toBe('completed')
    })

    it.each(Object.keys(verbs))('%s can be repeated through another connection', async (verb) => {
      const lease = await kit().held()
      const other = await kit().another()
      const first = await other.run<Settle['kind']>(settle(verb, lease))
      expect(await kit().run<Settle['kind']>(settle(verb, lease))).toEqual({ ...first, repeated: true })
    })

    it('a settle repeated within one commit counts once', async () => {
      const lease = await kit().held()
      const [first, second] = await kit().outcomes(complete(lease, '1'), complete(lease, '2'))
      expect(first).toMatchObject({ ok: true, value: { repeated: false } })
      expect(second).toMatchObject({ ok: true, value: { repeated: true } })
      expect((await kit().job(lease.id)).result).toBe(1)
    })

    it.each(Object.keys(verbs).flatMap((done) => Object.keys(verbs).map((late) => [done, late] as const)))(
      '%s, then %s: only the same settle is a repeat',
      async (done, late) => {
        const lease = await kit().held()
        await kit().run<Settle['kind']>(settle(done, lease))
        const [outcome] = await kit().outcomes(settle(late, lease))
        if (done === late) expect(outcome).toMatchObject({ ok: true, value: { repeated: true } })
        else expect(outcome).toMatchObject({ ok: false, error: { code: 'STALE_CLAIM' } })
      },
    )

    it.each(Object.keys(verbs))('%s of an unknown job is NOT_FOUND', async (verb) => {
      const error = await kit().refused(settle(verb, { id: nextId(), version: 1 }))
      expect(error.code).toBe('NOT_FOUND')
    })

    it.each(Object.keys(verbs))('%s after a rescue is stale', async (verb) => {
      const lease = await kit().held()
      await kit().crash()
      expect((await kit().refused(settle(verb, lease))).code).toBe('STALE_CLAIM')
      expect(await kit().job(lease.id)).toMatchObject({ status: 'pending', error: CRASH_ERROR })
    })
  })
}
