/** Rate limits: token buckets per type and for the whole queue, kept in the database. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QueueSettings } from '../../../../shared/settings/settings.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, plainJob, release } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

const many = (n: number, type = 'report') => Array.from({ length: n }, () => plainJob({ type }))

async function setQueue(kit: Kit, set: QueueSettings, clear: readonly (keyof QueueSettings)[] = []): Promise<void> {
  await kit.run({ kind: 'putSettings', set, clear, actor: 'operator' })
}

export function describeRateLimits(harness: StoreHarness): void {
  describe('a rate limit', () => {
    const kit = eachKit(harness)

    it('a rate limit allows the burst, then one job per token', async () => {
      await kit().declare('report', { rate: 0.5, burst: 2 })
      await kit().enqueue(...many(5))
      expect(await kit().claimIds()).toHaveLength(2)
      expect(await kit().run(claim())).toEqual({ jobs: [], nextEligibleAt: START + 2_000 })
      await kit().advance(1_999)
      expect(await kit().run(claim())).toEqual({ jobs: [], nextEligibleAt: START + 2_000 })
      await kit().advance(1)
      expect(await kit().claimIds()).toHaveLength(1)
    })

    it('a rate limit saves tokens up to its burst', async () => {
      await kit().declare('report', { rate: 10, burst: 3 })
      await kit().enqueue(...many(10))
      await kit().claimIds()
      await kit().advance(3_600_000)
      expect(await kit().claimIds()).toHaveLength(3)
    })

    it('a rate limit without a burst uses its rate as burst', async () => {
      await kit().declare('report', { rate: 2.5 })
      await kit().enqueue(...many(10))
      expect(await kit().claimIds()).toHaveLength(3)
    })

    it('a released claim does not return its token', async () => {
      await kit().declare('report', { rate: 0.001, burst: 1 })
      await kit().add()
      await kit().run(release(await kit().claimOne()))
      expect(await kit().claimIds()).toEqual([])
    })

    it('a rate limit does not affect other types', async () => {
      await kit().declare('slow', { rate: 0.001, burst: 1 })
      await kit().enqueue(...many(3, 'slow'), ...many(3, 'fast'))
      const types = (await kit().claim({ limit: 10 })).map(({ type }) => type)
      expect(types).toEqual(['slow', 'fast', 'fast', 'fast'])
    })

    it('a rate limit of the queue bounds all types together, in addition to their own limits', async () => {
      await kit().declare('slow', { rate: 0.001, burst: 1 })
      await setQueue(kit(), { rate: 1, burst: 3 })
      await kit().enqueue(...many(3, 'slow'), ...many(3, 'fast'))
      expect((await kit().claim({ limit: 10 })).map(({ type }) => type)).toEqual(['slow', 'fast', 'fast'])
      expect(await kit().run(claim())).toEqual({ jobs: [], nextEligibleAt: START + 1_000 })
      await setQueue(kit(), {}, ['rate', 'burst'])
      expect(await kit().claimIds()).toHaveLength(1)
    })

    it('a rate limit is shared by connections', async () => {
      await kit().declare('report', { rate: 1, burst: 4 })
      await kit().enqueue(...many(8))
      const other = await kit().another()
      expect(await kit().claimIds({ limit: 1 })).toHaveLength(1)
      expect(await other.claimIds({ limit: 2 })).toHaveLength(2)
      expect(await kit().claimIds()).toHaveLength(1)
      expect(await other.claimIds()).toHaveLength(0)
    })

    it('a rate limit is kept when the store is opened again', async () => {
      await kit().declare('report', { rate: 0.001, burst: 2 })
      await kit().enqueue(...many(4))
      await kit().claimIds()
      const again = await kit().another()
      await kit().store.close()
      expect(await again.claimIds()).toEqual([])
    })

    it('a rate limit neither gains nor loses tokens when the clock goes back', async () => {
      await kit().declare('report', { rate: 1, burst: 2 })
      await kit().enqueue(...many(9))
      expect(await kit().claimIds()).toHaveLength(2)
      kit().clock.jump(-86_400_000)
      expect(await kit().claimIds()).toHaveLength(0)
      await kit().advance(1_000)
      expect(await kit().claimIds()).toHaveLength(1)
    })

    it('a rate limit applies, and ends, with the next claim', async () => {
      await kit().enqueue(...many(6))
      await kit().override('report', { rate: 0.001, burst: 1 })
      expect(await kit().claimIds()).toHaveLength(1)
      await kit().override('report', {}, ['rate', 'burst'])
      expect(await kit().claimIds()).toHaveLength(5)
    })

    it('a rate limit never allows more than burst + rate × time, over any mix of connections', async () => {
      const other = await kit().another()
      const steps = fc.array(
        fc.record({
          ms: fc.integer({ min: 0, max: 1_500 }),
          limit: fc.integer({ min: 1, max: 5 }),
          other: fc.boolean(),
        }),
        { maxLength: 25 },
      )
      let run = 0
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(0.5, 1, 3.3, 10),
          fc.integer({ min: 1, max: 6 }),
          steps,
          async (rate, burst, schedule) => {
            run += 1
            const type = `run-${run}`
            await kit().declare(type, { rate, burst })
            await kit().enqueue(...many(130, type))
            let elapsed = 0
            let total = 0
            for (const [index, step] of schedule.entries()) {
              await kit().advance(step.ms)
              if (index > 0) elapsed += step.ms
              const via = step.other ? other : kit()
              total += (await via.claimIds({ types: [type], limit: step.limit })).length
              expect(total).toBeLessThanOrEqual(burst + (rate * elapsed) / 1_000 + 1e-3)
            }
          },
        ),
        { numRuns: 10 },
      )
    })
  })
}
