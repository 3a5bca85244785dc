/** Claims without types over hundreds of types: same order and limits as with few types. */
import { describe, expect, it } from 'vitest'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, jobAction, release } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

const TYPES = 150
const nameOf = (n: number) => `type-${n % TYPES}`

/** The position of a type's jobs in claim order differs from type to type. */
const specOf = (n: number) => ({ type: nameOf(n), priority: (n * 7) % 4, runAt: START - ((n * 31) % 50) })

interface Waiting {
  readonly id: string
  readonly type: string
  readonly priority: number
  readonly runAt: number
  /** The order of creation. */
  readonly at: number
}

/** The pending jobs in claim order. */
class Line {
  private waiting: Waiting[] = []
  private made = 0

  async add(kit: Kit, ...specs: { type: string; priority: number; runAt: number }[]): Promise<void> {
    const ids = await kit.enqueue(...specs)
    ids.forEach((id, index) => {
      const spec = specs[index]
      if (spec) this.waiting.push({ ...spec, id, at: this.made++ })
    })
    this.sort()
  }

  take(limit: number, isOpen: (type: string) => boolean = () => true): Waiting[] {
    const taken = this.waiting.filter(({ type }) => isOpen(type)).slice(0, limit)
    this.waiting = this.waiting.filter((job) => !taken.includes(job))
    return taken
  }

  putBack(job: Waiting): void {
    this.waiting.push(job)
    this.sort()
  }

  private sort(): void {
    this.waiting.sort((a, b) => b.priority - a.priority || a.runAt - b.runAt || a.at - b.at)
  }
}

const idsOf = (jobs: readonly { readonly id: string }[]) => jobs.map(({ id }) => id)
const specs = (from: number, count: number) => Array.from({ length: count }, (_, n) => specOf(from + n))

export function describeClaimManyTypes(harness: StoreHarness): void {
  describe('a claim over many types', () => {
    const kit = eachKit(harness)

    it('a claim over many types gets the first jobs while jobs are added, released and cancelled', async () => {
      const line = new Line()
      await line.add(kit(), ...specs(0, 2 * TYPES))
      for (let round = 0; round < 8; round++) {
        const limit = 1 + (round % 3) * 5
        const claimed = await kit().claim({ types: null, limit })
        const expected = line.take(limit)
        expect(idsOf(claimed)).toEqual(idsOf(expected))
        await line.add(kit(), specOf(1_000 + round), { type: nameOf(round * 13), priority: 9, runAt: START - round })
        const [first] = claimed
        if (!first || !expected[0]) throw new Error('nothing was claimed')
        await kit().run(release(first))
        line.putBack(expected[0])
        const [cancelled] = line.take(1)
        if (cancelled) await kit().run(jobAction('cancel', cancelled.id))
      }
    })

    it('a claim over many types shares the jobs with all claims of a commit, including claims with types', async () => {
      const line = new Line()
      await line.add(kit(), ...specs(0, 2 * TYPES))
      const named = ['type-3', 'type-4']
      const limits = [{ limit: 3 }, { limit: 2, types: named }, { limit: 30 }, { limit: 1 }]
      const outcomes = await kit().outcomes(
        ...limits.map((one, n) => claim({ types: null, ...one, worker: `worker-${n}` })),
      )
      const got = outcomes.map((outcome) =>
        outcome.ok ? idsOf((outcome.value as { jobs: { id: string }[] }).jobs) : [],
      )
      const expected = limits.map(({ limit, types }) => {
        return idsOf(line.take(limit, (type) => types === undefined || types.includes(type)))
      })
      expect(got).toEqual(expected)
    })

    it('a claim over many types skips types that are paused or have no capacity', async () => {
      const line = new Line()
      await line.add(kit(), ...specs(0, 2 * TYPES))
      const urgent = { priority: 9, runAt: START - 9 }
      await kit().declare('paused', {})
      await kit().override('paused', { paused: true })
      await kit().declare('full', { maxConcurrency: 1 })
      await kit().enqueue({ type: 'paused', ...urgent }, { type: 'full', ...urgent }, { type: 'full', ...urgent })
      const [full] = await kit().claim({ types: null, limit: 1 })
      expect(full?.type).toBe('full')
      expect(await kit().claimIds({ types: null, limit: 5 })).toEqual(idsOf(line.take(5)))
    })

    it('a claim over many types gets a job of an unlimited type when all limited types before it are full', async () => {
      const limited = Array.from({ length: TYPES }, (_, n) => `limited-${n}`)
      const set = { maxConcurrency: 1 }
      for (const name of limited) await kit().declare(name, set)
      const job = { priority: 5, runAt: START - 5 }
      await kit().enqueue(
        ...limited.flatMap((type) => [
          { type, ...job },
          { type, ...job },
        ]),
      )
      await kit().claim({ types: null, limit: TYPES })
      const last = await kit().add({ type: 'open', priority: -5 })
      expect(await kit().claimIds({ types: null, limit: 2 })).toEqual([last])
      expect(await kit().run(claim({ types: null }))).toEqual({ jobs: [], nextEligibleAt: null })
    })

    it('a claim over many types gets a job that another connection enqueued', async () => {
      await kit().enqueue(...specs(0, 2 * TYPES))
      await kit().claim({ types: null })
      const other = await kit().another()
      const urgent = await other.add({ type: nameOf(77), priority: 99 })
      expect(await kit().claimIds({ types: null, limit: 1 })).toEqual([urgent])
    })
  })
}
