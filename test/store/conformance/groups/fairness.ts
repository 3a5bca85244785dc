/** Round robin between keys: how many jobs of other keys may start before one that waits. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoreHarness } from '../../harness.ts'
import { complete, plainJob } from '../fixtures.ts'
import { Kit } from '../kit.ts'
import { eachGroupKit, GroupKit, ofKey } from './group-kit.ts'

const lines = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 5 })
const queues = fc.record({ lines, window: fc.integer({ min: 1, max: 3 }), stepMs: fc.constantFrom(0, 1, 40) })
const RUNS = 8

export function describeGroupFairness(harness: StoreHarness): void {
  describe('fairness between keys', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    it('keys take turns within one instant too', async () => {
      await group().rules({ window: 1 })
      await kit().enqueue(...ofKey('a', 4), ...ofKey('b', 2), ...ofKey('c', 1))
      const keys: (string | null)[] = []
      for (let n = 0; n < 7; n++) keys.push((await kit().job((await kit().claimOne()).id)).groupKey)
      expect(keys).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a'])
    })

    it('ten jobs beside a line of thousands end within the first thirty claims', async () => {
      await group().rules({ window: 1 })
      await kit().enqueue(...ofKey('large', 3_000))
      await kit().enqueue(...ofKey('small', 10))
      const keys: (string | null)[] = []
      for (let n = 0; n < 30; n++) {
        await kit().advance(1)
        const lease = await kit().claimOne()
        keys.push((await kit().job(lease.id)).groupKey)
        await kit().run(complete(lease))
      }
      expect(keys.filter((key) => key === 'small')).toHaveLength(10)
    })
  })

  describe('fairness of random lines', () => {
    it('before a job that is next in its key, each other key starts at most two windows of jobs', async () => {
      await fc.assert(
        fc.asyncProperty(queues, async (queue) => {
          try {
            await follow(await Kit.open(harness), queue)
          } finally {
            await harness.cleanup()
          }
        }),
        { numRuns: RUNS },
      )
    })
  })
}

interface Queue {
  readonly lines: readonly number[]
  readonly window: number
  readonly stepMs: number
}

/** Claims and completes one by one, and compares the gaps between starts of each key. */
async function follow(kit: Kit, { lines, window, stepMs }: Queue): Promise<void> {
  await new GroupKit(kit).rules({ window })
  const jobs = lines.flatMap((count, key) => ofKey(`key-${key}`, count))
  const keyOf = new Map<string, string>()
  const inputs = jobs.map((job) => plainJob(job))
  for (const { id, groupKey } of inputs) keyOf.set(id, groupKey ?? '')
  await kit.run({ kind: 'enqueue', jobs: inputs })
  const order: string[] = []
  for (let n = 0; n < jobs.length; n++) {
    await kit.advance(stepMs)
    const lease = await kit.claimOne()
    order.push(keyOf.get(lease.id) ?? '')
    await kit.run(complete(lease))
  }
  for (const key of new Set(order)) {
    let others = new Map<string, number>()
    for (const started of order.slice(0, order.lastIndexOf(key) + 1)) {
      if (started === key) others = new Map()
      else others.set(started, (others.get(started) ?? 0) + 1)
      expect(Math.max(0, ...others.values()), `${order.join(' ')}: others before ${key}`).toBeLessThanOrEqual(
        2 * window,
      )
    }
  }
}
