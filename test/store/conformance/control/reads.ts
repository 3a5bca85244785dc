/** Reads of jobs and failure groups. */
import { describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../../../shared/limits.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, fullJob, nextId, release } from '../fixtures.ts'
import { eachKit } from '../kit.ts'
import { describeLists } from './lists.ts'

export function describeReads(harness: StoreHarness): void {
  describeJobReads(harness)
  describeFailureGroups(harness)
  describeLists(harness)
}

function describeJobReads(harness: StoreHarness): void {
  describe('reading jobs', () => {
    const kit = eachKit(harness)

    it('a job is read with every field as it was enqueued', async () => {
      const job = fullJob({ type: 'email' })
      const { payload, kind: _, delayMs: __, whenFull: ___, ...fields } = job
      await kit().enqueue(job)
      const read = await kit().job(job.id)
      expect(read).toMatchObject({
        ...fields,
        payload: JSON.parse(payload),
        result: null,
        status: 'pending',
        version: 0,
      })
      expect(await kit().store.getMany([job.id, nextId()])).toEqual([
        expect.not.objectContaining({ payload: expect.anything() }),
      ])
      expect(await kit().store.getNumbered([read.seq + 1, read.seq])).toEqual(await kit().store.getMany([job.id]))
      expect(await kit().store.getNumbered([Number.MAX_SAFE_INTEGER])).toEqual([])
      expect(await kit().store.get(nextId())).toBeNull()
    })

    it('reads stored results of completed jobs by id', async () => {
      const one = await kit().held()
      await kit().run(complete(one, '{"rows":[1,2]}'))
      const two = await kit().held()
      await kit().run(complete(two, null))
      const open = await kit().held()
      const results = await kit().store.results([one.id, two.id, open.id, nextId()])
      expect([...results]).toEqual([[one.id, { rows: [1, 2] }]])
    })

    it('reads the attempts of a job in order', async () => {
      const id = await kit().add({ maxAttempts: 9 })
      await kit().run(release(await kit().claimOne({ worker: 'worker-a' })))
      await kit().advance(500)
      const second = await kit().claimOne({ worker: 'worker-b' })
      await kit().advance(70)
      await kit().run(fail(second, { error: 'exit 12', retryInMs: 3_000, exitCode: 4 }))
      const [first, last] = await kit().store.attempts(id)
      expect(first).toMatchObject({ version: 1, worker: 'worker-a', outcome: 'released', statusAfter: 'pending' })
      expect(last).toEqual({
        ...{ version: 2, worker: 'worker-b', startedAt: START + 500, finishedAt: START + 570, outcome: 'failed' },
        ...{ statusAfter: 'retrying', nextRunAt: START + 3_570, error: 'exit 12', errorKey: 'exit <n>', exitCode: 4 },
      })
      expect(await kit().store.attempts(nextId())).toEqual([])
    })
  })
}

function describeFailureGroups(harness: StoreHarness): void {
  describe('failure groups', () => {
    const kit = eachKit(harness)
    const failNow = async (error: string, type = 'report'): Promise<string> => {
      const lease = await kit().held({ type }, { types: [type] })
      await kit().run(fail(lease, { error, retry: false }))
      return lease.id
    }

    it('failure groups join errors that differ only in numbers, and count by hour, day and week', async () => {
      const oldest = await failNow('disk 1 is full')
      await kit().advance(2 * DAY)
      await failNow('disk 2 is full')
      await failNow('timeout after 3 s')
      await kit().advance(2 * HOUR)
      const newest = await failNow('disk 3 is full')
      const elsewhere = await failNow('disk 4 is full', 'email')
      const now = START + 2 * DAY + 2 * HOUR
      const trend = (...at: [hoursAgo: number, count: number][]) =>
        Array.from({ length: 24 }, (_, hour) => at.find(([hoursAgo]) => hoursAgo === 23 - hour)?.[1] ?? 0)
      const groups = await kit().store.failureGroups({ type: 'report', limit: 10 })
      expect(groups).toEqual([
        {
          ...{ type: 'report', errorKey: 'disk <n> is full', lastHour: 1, lastDay: 2, lastWeek: 3 },
          ...{ firstSeenAt: START, lastSeenAt: now, sampleId: newest, sampleError: 'disk 3 is full' },
          trend: trend([0, 1], [2, 1]),
        },
        expect.objectContaining({ errorKey: 'timeout after <n> s', lastHour: 0, lastDay: 1, trend: trend([2, 1]) }),
      ])
      const all = await kit().store.failureGroups({ type: null, limit: 10 })
      expect(all.map(({ type, lastDay }) => [type, lastDay])).toEqual([
        ['report', 2],
        ['email', 1],
        ['report', 1],
      ])
      expect(all[1]?.sampleId).toBe(elsewhere)
      expect(await kit().store.failureGroups({ type: null, limit: 1 })).toEqual(groups.slice(0, 1))
      expect(groups.map(({ sampleId }) => sampleId)).not.toContain(oldest)
    })

    it('failure groups leave out failures older than a week', async () => {
      await failNow('long ago')
      await kit().advance(7 * DAY)
      expect(await kit().store.failureGroups({ type: null, limit: 10 })).toEqual([])
    })
  })
}
