/** Several operations on keys in one commit, refusals, and repeated commits. */
import { describe, expect, it } from 'vitest'
import { DAY } from '../../../../shared/limits.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, fail, jobAction, plainJob } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupCommits(harness: StoreHarness): void {
  describe('a commit on keys', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    it('an enqueue that is refused takes no place', async () => {
      await group().rules({ concurrency: 1 })
      await kit().add({ type: 'topic', kind: 'message' })
      const wrong = plainJob({ type: 'topic', kind: 'command' })
      const outcomes = await kit().outcomes(
        enqueue(plainJob({ groupKey: 'a' }), plainJob({ groupKey: 'a' }), wrong),
        enqueue(plainJob({ groupKey: 'a' })),
      )
      expect(outcomes.map(({ ok }) => ok)).toEqual([false, true])
      expect(await group().counts('a')).toEqual([1, 0, 0])
    })

    it('a repeated enqueue returns the same jobs and takes no second place', async () => {
      await group().rules({ concurrency: 1 })
      const jobs = [plainJob({ groupKey: 'a' }), plainJob({ groupKey: 'a' }), plainJob({ groupKey: 'b', delayMs: 900 })]
      const first = await kit().run(enqueue(...jobs))
      expect(first.map(({ status }) => status)).toEqual(['pending', 'blocked', 'scheduled'])
      expect(await kit().run(enqueue(...jobs))).toEqual(first)
      expect([await group().counts('a'), await group().counts('b')]).toEqual([
        [1, 0, 1],
        [0, 0, 0],
      ])
    })

    it('several enqueues of one commit fill a key together', async () => {
      await group().rules({ concurrency: 3 })
      await kit().outcomes(...Array.from({ length: 5 }, () => enqueue(plainJob({ groupKey: 'a' }))))
      expect(await group().counts('a')).toEqual([3, 0, 2])
    })

    it('ends, enqueues and claims of one commit keep to the limit', async () => {
      await group().rules({ concurrency: 2 })
      const [, , third] = await kit().enqueue(...ofKey('a', 3))
      const [first, second] = await kit().claim({ limit: 2 })
      if (!first || !second) throw new Error('two jobs were claimed')
      const fresh = plainJob({ groupKey: 'a' })
      const outcomes = await kit().outcomes(
        claim({ limit: 9 }),
        enqueue(fresh),
        complete(first),
        fail(second, { retryInMs: 0 }),
      )
      const [claimed] = outcomes
      if (!claimed?.ok) throw new Error('the claim succeeds')
      expect(await group().counts('a')).toEqual([0, 2, 1])
      expect(claimed.value).toMatchObject({ jobs: expect.arrayContaining([expect.objectContaining({ id: third })]) })
    })

    it.each(['replace', 'skip'] as const)(
      'places that a commit frees go to waiting jobs before its new jobs meet the key: %s',
      async (whenFull) => {
        await group().rules({ concurrency: 2, whenFull })
        const [first, second] = await kit().enqueue(...ofKey('a', 2))
        const [one, two] = await kit().claim({ limit: 2 })
        if (!one || !two) throw new Error('two jobs were claimed')
        const waiting = await kit().add({ groupKey: 'a', whenFull: 'wait' })
        const fresh = plainJob({ groupKey: 'a' })
        const [enqueued] = await kit().outcomes(enqueue(fresh), complete(one), complete(two))
        expect(enqueued).toEqual({ ok: true, value: [{ id: fresh.id, status: 'pending', deduplicated: false }] })
        expect(await group().statuses([first ?? '', second ?? '', waiting, fresh.id])).toEqual([
          'completed',
          'completed',
          'pending',
          'pending',
        ])
      },
    )

    it('two claims of one commit share the places', async () => {
      await group().rules({ concurrency: 2 })
      await kit().enqueue(...ofKey('a', 5))
      const outcomes = await kit().outcomes(claim({ worker: 'w1', limit: 9 }), claim({ worker: 'w2', limit: 9 }))
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true])
      expect(await group().counts('a')).toEqual([0, 2, 3])
    })

    it('an action that is refused changes no counts beside others of its commit', async () => {
      await group().rules({ concurrency: 1 })
      const [first = '', second = ''] = await kit().enqueue(...ofKey('a', 2))
      const outcomes = await kit().outcomes(
        jobAction('retry', second),
        jobAction('cancel', first),
        jobAction('cancel', first),
      )
      expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, true])
      expect(await group().counts('a')).toEqual([1, 0, 0])
    })

    it('two connections share places', async () => {
      await group().rules({ concurrency: 2 })
      const other = await kit().another()
      await kit().enqueue(...ofKey('a', 2))
      await other.enqueue(...ofKey('a', 2))
      expect([...(await kit().claimIds()), ...(await other.claimIds())]).toHaveLength(2)
      expect(await group().counts('a')).toEqual([0, 2, 2])
    })

    it('jobs without a key leave no rows of keys', async () => {
      await group().rules({ concurrency: 1 })
      await kit().enqueue({}, {}, { type: 'other' })
      await kit().run(complete(await kit().claimOne()))
      expect((await kit().harness.keyRows()).rows).toEqual([])
    })

    it('trim deletes rows of keys without jobs, tokens, overrides or stops, and no others', async () => {
      const trim = async () => {
        const old = { minutesOlderThanMs: DAY, depthsOlderThanMs: DAY, workersOlderThanMs: DAY, auditOlderThanMs: DAY }
        while ((await kit().run({ kind: 'trim', ...old, limit: 2 })).more);
        return (await kit().harness.keyRows()).rows.map(({ name, key }) => `${name} ${key}`)
      }
      await group().rules({ order: 'strict', onDead: 'stop' }, 'strict')
      await group().rules({ rate: { limit: 1, perMs: 5_000 } }, 'slow')
      for (const key of ['done-1', 'done-2', 'done-3', 'done-4', 'done-5']) {
        await kit().add({ groupKey: key })
        await kit().run(complete(await kit().claimOne()))
      }
      await kit().add({ groupKey: 'waits' })
      await group().update({ key: 'own rules', set: { concurrency: 2 } })
      await kit().add({ type: 'strict', groupKey: 'stopped' })
      await kit().run(fail(await kit().claimOne({ types: ['strict'] }), { retry: false }))
      await kit().add({ type: 'slow', groupKey: 'owes' })
      await kit().run(complete(await kit().claimOne({ types: ['slow'] })))
      const kept = ['report own rules', 'report waits', 'strict stopped']
      expect(await trim()).toEqual([...kept.slice(0, 2), 'slow owes', ...kept.slice(2)])
      await kit().advance(5_001)
      expect(await trim()).toEqual(kept)
    })
  })
}
