/** Counters and minutes: exact after any history. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sumCounts } from '../../../../server/engine/verbs/stats.ts'
import type { ClaimedRow, Op } from '../../../../server/store/ops.ts'
import { bucketOf, emptyHistogram } from '../../../../shared/stats/histogram.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, fail, jobAction, plainJob, promote, release, rescue } from '../fixtures.ts'
import { eachKit, Kit } from '../kit.ts'

const MINUTE = 60_000
const minuteOf = (at: number): number => Math.floor(at / MINUTE)

function histogram(...durations: number[]): number[] {
  const buckets = emptyHistogram()
  for (const ms of durations) buckets[bucketOf(ms)] = (buckets[bucketOf(ms)] ?? 0) + 1
  return buckets
}

const verbs = [
  'enqueue',
  'claim',
  'complete',
  'fail',
  'release',
  'jobAction',
  'promote',
  'rescue',
  'cleanup',
  'take',
] as const
const steps = fc.array(
  fc.record({
    verbs: fc.array(fc.constantFrom(...verbs), { minLength: 1, maxLength: 4 }),
    pick: fc.nat(1_000),
    ms: fc.constantFrom(0, 0, 1_000, 31_000),
    other: fc.boolean(),
  }),
  { maxLength: 30 },
)

/** Makes an operation on existing jobs. Some operations are refused, which is part of the history. */
function operation(verb: (typeof verbs)[number], pick: number, ids: string[], leases: readonly ClaimedRow[]): Op {
  const lease = leases[pick % Math.max(1, leases.length)] ?? { id: 'unknown', version: 1 }
  const type = `type-${pick % 3}`
  switch (verb) {
    case 'enqueue': {
      const job = plainJob({ type, maxAttempts: 2, delayMs: pick % 4 === 0 ? 900 : 0 })
      ids.push(job.id)
      return enqueue(job, plainJob({ type, dedupeKey: `key-${pick % 2}`, dedupeUntil: 'finished' }))
    }
    case 'claim':
      return claim({ limit: 1 + (pick % 3) })
    case 'take':
      return claim({ limit: 1, settle: true })
    case 'complete':
      return complete(lease)
    case 'fail':
      return fail(lease, { retryInMs: (pick % 3) * 500 })
    case 'release':
      return release(lease, (pick % 2) * 500)
    case 'jobAction': {
      const some = (['retry', 'runNow', 'cancel', 'remove'] as const)[pick % 4] ?? 'retry'
      return jobAction(some, ids[pick % Math.max(1, ids.length)] ?? 'unknown')
    }
    case 'promote':
      return promote
    case 'rescue':
      return rescue
    case 'cleanup':
      return {
        kind: 'cleanup',
        status: ['completed', 'failed', 'cancelled'],
        olderThanMs: 20_000,
        type: null,
        limit: 2,
      }
  }
}

export function describeCounters(harness: StoreHarness): void {
  describe('counts', () => {
    const kit = eachKit(harness)

    it('counts equal the number of rows after any history, through any connection', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const first = await Kit.open(harness)
          const second = await first.another()
          const ids: string[] = []
          let leases: readonly ClaimedRow[] = []
          for (const step of history) {
            await first.advance(step.ms)
            const ops = step.verbs.map((verb, index) => operation(verb, step.pick + index, ids, leases))
            for (const outcome of await (step.other ? second : first).outcomes(...ops)) {
              if (outcome.ok && isClaim(outcome.value)) leases = [...leases, ...outcome.value.jobs]
            }
            const counted = await harness.countByStatus()
            for (const via of [first, second]) {
              expect(await via.counts()).toEqual(counted)
              expect(await via.store.totals()).toEqual(sumCounts((await via.store.counts()).values()))
            }
          }
          await harness.cleanup()
        }),
        { numRuns: 20 },
      )
    })

    it('oldestReady returns when the oldest claimable job of each type became ready', async () => {
      await kit().enqueue(
        { type: 'a', priority: 5, runAt: START - 10 },
        { type: 'a', runAt: START - 40 },
        { type: 'a', priority: -5, runAt: START - 20 },
        { type: 'b', runAt: START - 30 },
        { type: 'c', delayMs: 5_000 },
      )
      expect(await kit().store.oldestReady()).toEqual(
        new Map([
          ['a', START - 40],
          ['b', START - 30],
        ]),
      )
    })
  })

  describe('minutes', () => {
    const kit = eachKit(harness)
    const rows = () => kit().store.minutes({ sinceMinute: 0, type: null })

    it('minutes sum what happened, by type', async () => {
      await kit().enqueue({ runAt: START - 300 }, {}, {}, {}, { type: 'other', delayMs: 5 })
      const [done, failed, dead, freed] = await kit().claim({ limit: 4, types: ['report'] })
      if (!done || !failed || !dead || !freed) throw new Error('four jobs were there')
      await kit().advance(40)
      await kit().commit(complete(done), fail(failed), fail(dead, { retry: false }), release(freed))
      expect(await rows()).toEqual([
        expect.objectContaining({ type: 'other', enqueued: 1, completed: 0, failed: 0, dead: 0 }),
        {
          minute: minuteOf(START),
          type: 'report',
          enqueued: 4,
          completed: 1,
          failed: 2,
          dead: 1,
          waits: histogram(300, 0, 0, 0),
          runs: histogram(40, 40, 40),
        },
      ])
      const together = { minute: minuteOf(START), type: '', enqueued: 5, completed: 1, failed: 2, dead: 1 }
      const empty = { waits: histogram(), runs: histogram() }
      const { store } = kit()
      expect(await store.minutes({ sinceMinute: 0, type: null, together: true })).toEqual([{ ...together, ...empty }])
      expect(await store.minutes({ sinceMinute: 0, type: 'other', together: true })).toMatchObject([{ type: 'other' }])
    })

    it('minutes count a crash as a failed attempt, and a job over its crash budget as dead', async () => {
      await kit().held({ maxAttempts: 1 })
      await kit().advance(30_000)
      await kit().run(rescue)
      expect(await rows()).toMatchObject([{ enqueued: 1, failed: 1, dead: 1, runs: histogram(30_000) }])
    })

    it('minutes start at zero, and earlier minutes stay', async () => {
      await kit().add()
      await kit().advance(MINUTE)
      await kit().claimIds({ settle: true })
      expect(await rows()).toMatchObject([
        { minute: minuteOf(START), enqueued: 1, completed: 0 },
        { minute: minuteOf(START) + 1, enqueued: 0, completed: 1, waits: histogram(MINUTE), runs: histogram(0) },
      ])
      const later = await kit().store.minutes({ sinceMinute: minuteOf(START) + 1, type: 'report' })
      expect(later).toHaveLength(1)
      expect(await kit().store.minutes({ sinceMinute: 0, type: 'unheard-of' })).toEqual([])
    })

    it('minutes include the commits of several connections', async () => {
      const other = await kit().another()
      await kit().enqueue({}, {})
      await other.enqueue({}, {}, {})
      await kit().claimIds({ limit: 1, settle: true })
      await other.claimIds({ limit: 1, settle: true })
      expect(await rows()).toMatchObject([{ enqueued: 5, completed: 2, waits: histogram(0, 0) }])
    })

    it('minutes leave out repeats, duplicates and refusals', async () => {
      const lease = await kit().held({ dedupeKey: 'k' })
      await kit().commit(complete(lease), complete(lease), fail(lease), enqueue(plainJob({ dedupeKey: 'k' })))
      await kit().commit(complete(lease))
      expect(await rows()).toMatchObject([{ enqueued: 1, completed: 1, failed: 0, runs: histogram(0) }])
    })

    it('minutes count no negative wait when the clock went back', async () => {
      await kit().add()
      kit().clock.jump(-1_000)
      await kit().claimIds({ settle: true })
      expect(await rows()).toMatchObject([{ waits: histogram(0), runs: histogram(0) }])
    })
  })
}

function isClaim(value: unknown): value is { jobs: readonly ClaimedRow[] } {
  return typeof value === 'object' && value !== null && 'jobs' in value
}
