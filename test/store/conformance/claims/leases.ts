/** Ends of leases: deadlines, and renewal after an outage of the server. */
import { describe, expect, it } from 'vitest'
import { TIMEOUT_GRACE_MS } from '../../../../shared/lease-end.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, heartbeat, rescue } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeLeases(harness: StoreHarness): void {
  describe('a deadline', () => {
    const kit = eachKit(harness)

    it.each([
      ['of the job', { timeoutMs: 10_000 }, {}],
      ['of the type', {}, { timeoutMs: 10_000 }],
      ['of the job before that of the type', { timeoutMs: 10_000 }, { timeoutMs: 5_000 }],
    ])('a lease ends at the deadline %s', async (_name, job, settings) => {
      await kit().declare('report', settings)
      const lease = await kit().held(job, { leaseMs: 60_000 })
      expect(lease.leaseUntil).toBe(START + 10_000 + TIMEOUT_GRACE_MS)
      await kit().advance(4_000)
      const answer = await kit().run(heartbeat([lease], 60_000))
      expect(answer.extended).toEqual([lease.id])
      expect((await kit().job(lease.id)).leaseUntil).toBe(START + 10_000 + TIMEOUT_GRACE_MS)
      await kit().advance(6_000 + TIMEOUT_GRACE_MS)
      expect(await kit().run(rescue)).toMatchObject({ rescued: 1 })
    })

    it('a heartbeat after the deadline does not extend the lease', async () => {
      const lease = await kit().held({ timeoutMs: 10_000 })
      await kit().advance(10_000 + TIMEOUT_GRACE_MS)
      await kit().run(heartbeat([lease], 60_000))
      expect((await kit().job(lease.id)).leaseUntil).toBe(START + 10_000 + TIMEOUT_GRACE_MS)
      expect(await kit().run(rescue)).toMatchObject({ rescued: 1 })
    })

    it('the deadline restarts with every attempt', async () => {
      const lease = await kit().held({ timeoutMs: 10_000 })
      await kit().advance(3_000)
      await kit().run(fail(lease, { retryInMs: 0 }))
      expect((await kit().claimOne({ leaseMs: 60_000 })).leaseUntil).toBe(START + 13_000 + TIMEOUT_GRACE_MS)
    })
  })

  describe('renewing leases', () => {
    const kit = eachKit(harness)

    it('renewing restarts every lease with its original duration', async () => {
      await kit().enqueue({}, {})
      const [a, b] = [await kit().claimOne({ leaseMs: 20_000 }), await kit().claimOne({ leaseMs: 50_000 })]
      await kit().advance(3_600_000)
      expect(await kit().run({ kind: 'renewLeases' })).toEqual({ renewed: 2 })
      const now = START + 3_600_000
      expect((await kit().job(a.id)).leaseUntil).toBe(now + 20_000)
      expect((await kit().job(b.id)).leaseUntil).toBe(now + 50_000)
    })

    it('renewing comes before a rescue in the same commit', async () => {
      const lease = await kit().held()
      await kit().advance(3_600_000)
      const [, swept] = await kit().outcomes({ kind: 'renewLeases' }, rescue)
      expect(swept).toMatchObject({ ok: true, value: { rescued: 0 } })
      expect(await kit().run(complete(lease))).toMatchObject({ status: 'completed' })
    })

    it('renewing shortens leases that end far ahead after the clock was set back', async () => {
      const lease = await kit().held({}, { leaseMs: 20_000 })
      kit().clock.jump(-86_400_000)
      await kit().run({ kind: 'renewLeases' })
      expect((await kit().job(lease.id)).leaseUntil).toBe(START - 86_400_000 + 20_000)
    })

    it('renewing does not move a deadline in the future', async () => {
      const lease = await kit().held({ timeoutMs: 30_000 }, { leaseMs: 20_000 })
      await kit().advance(15_000)
      await kit().run({ kind: 'renewLeases' })
      expect((await kit().job(lease.id)).leaseUntil).toBe(START + 30_000 + TIMEOUT_GRACE_MS)
    })

    it('renewing changes neither version nor attempts', async () => {
      const lease = await kit().held()
      await kit().run({ kind: 'renewLeases' })
      expect(await kit().job(lease.id)).toMatchObject({ version: 1, attempts: 1, crashes: 0, lockedBy: 'worker-1' })
    })
  })
}
