/** Reads of groups and keys, and lists by key. */
import { describe, expect, it } from 'vitest'
import type { GroupKeysParams } from '../../../../server/store/records.ts'
import { type ListInput, listInput } from '../../../../shared/contracts/observe.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { busy, complete, fail } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupReads(harness: StoreHarness): void {
  describe('reads of groups', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    async function keys(params: Partial<GroupKeysParams> = {}, pageSize = 100): Promise<string[]> {
      const found: string[] = []
      let cursor: string | null = null
      do {
        const page = await kit().store.groupKeys({
          ...{ name: 'report', search: null, sort: 'blocked', limit: pageSize, cursor },
          ...params,
        })
        expect(page.rows.length).toBeLessThanOrEqual(pageSize)
        found.push(...page.rows.map(({ key }) => key))
        cursor = page.nextCursor
      } while (cursor !== null)
      return found
    }

    /** Keys with different numbers of blocked and running jobs; the fewer blocked, the longer the wait. */
    async function sevenKeys(): Promise<string[]> {
      await group().rules({ concurrency: 3 })
      const names = ['g', 'c', 'e', 'a', 'f', 'b', 'd']
      for (const [n, name] of names.entries()) {
        await kit().enqueue(...ofKey(name, 4 + n))
        await kit().claimIds({ limit: 1 + (n % 3) })
        await kit().advance(10)
      }
      return names
    }

    it('totals of groups are exact, in order of names', async () => {
      await group().rules({ concurrency: 1 }, 'b')
      await kit().enqueue(
        ...ofKey('x', 3, { type: 'b' }),
        ...ofKey('y', 2, { type: 'b' }),
        ...ofKey('x', 1, { type: 'a' }),
      )
      await kit().claimOne({ types: ['b'] })
      const totals = (await kit().store.groupTotals()).filter(({ keys }) => keys > 0)
      expect(totals).toEqual([
        { name: 'a', keys: 1, pending: 1, processing: 0, blocked: 0 },
        { name: 'b', keys: 2, pending: 1, processing: 1, blocked: 3 },
      ])
    })

    it('a key without unfinished jobs is not counted among the keys of a group', async () => {
      await kit().enqueue(...ofKey('x', 1), ...ofKey('y', 1))
      await kit().run(complete(await kit().claimOne()))
      const [total] = await kit().store.groupTotals()
      expect(total).toEqual({ name: 'report', keys: 1, pending: 1, processing: 0, blocked: 0 })
    })

    it('keys are sorted by blocked jobs, by wait and by running jobs', async () => {
      const names = await sevenKeys()
      expect(await keys({ sort: 'blocked' })).toEqual(names.toReversed())
      expect(await keys({ sort: 'oldest' })).toEqual(names)
      const running = await keys({ sort: 'running' })
      const counts: number[] = []
      for (const key of running) counts.push((await group().counts(key))[1] ?? 0)
      expect(counts).toEqual(counts.toSorted((a, b) => b - a))
      expect(running.toSorted()).toEqual(names.toSorted())
    })

    it.each(['blocked', 'oldest', 'running'] as const)(
      'pages of keys by %s neither skip nor repeat, also with equal values',
      async (sort) => {
        await sevenKeys()
        for (const key of ['p', 'q', 'r', 's']) await kit().enqueue(...ofKey(key, 5))
        const all = await keys({ sort })
        expect(new Set(all).size).toBe(11)
        for (const size of [1, 2, 3, 10]) expect(await keys({ sort }, size)).toEqual(all)
      },
    )

    it('a search finds keys with its text, wildcards included as they are', async () => {
      for (const key of ['a%b', 'a_b', 'axb', 'ab', 'zzz']) await kit().add({ groupKey: key })
      await kit().add({ type: 'other', groupKey: 'ab' })
      expect((await keys({ search: 'a' })).toSorted()).toEqual(['a%b', 'a_b', 'ab', 'axb'])
      expect(await keys({ search: '%' })).toEqual(['a%b'])
      expect(await keys({ search: '_' })).toEqual(['a_b'])
      expect(await keys({ search: 'nothing' })).toEqual([])
      expect((await keys({ search: 'a' }, 1)).toSorted()).toEqual(['a%b', 'a_b', 'ab', 'axb'])
    })

    it('a key has its counts, its rules and the times at which it moves', async () => {
      await group().rules({ concurrency: 2, rate: { limit: 1, perMs: 1_000, burst: 2 } })
      await group().update({ key: 'a', set: { concurrency: 3 } })
      await kit().enqueue(...ofKey('a', 5, { runAt: START - 40 }))
      await kit().claimOne()
      expect(await kit().store.groupKey({ name: 'report', key: 'a' })).toMatchObject({
        name: 'report',
        key: 'a',
        pending: 1,
        processing: 1,
        blocked: 3,
        oldestBlockedAt: START - 40,
        busyUntil: null,
        stoppedAt: null,
        turnId: null,
        override: { concurrency: 3 },
      })
      const [row] = (
        await kit().store.groupKeys({ name: 'report', search: null, sort: 'blocked', limit: 1, cursor: null })
      ).rows
      expect(row).toEqual(await kit().store.groupKey({ name: 'report', key: 'a' }))
      expect(await kit().store.groupKey({ name: 'report', key: 'unknown' })).toBeNull()
      expect(await kit().store.groupKey({ name: 'unknown', key: 'a' })).toBeNull()
    })

    it('the oldest blocked job of a key is the one that is next in line', async () => {
      await group().rules({ concurrency: 1 })
      await kit().add({ groupKey: 'a' })
      expect(await kit().store.groupKey({ name: 'report', key: 'a' })).toMatchObject({ oldestBlockedAt: null })
      await kit().add({ groupKey: 'a', runAt: START - 9 })
      await kit().add({ groupKey: 'a', runAt: START - 3, priority: 5 })
      expect(await kit().store.groupKey({ name: 'report', key: 'a' })).toMatchObject({ oldestBlockedAt: START - 3 })
    })

    it('a busy key shows until when, and a strict one whose turn it is', async () => {
      await group().rules({ order: 'strict' })
      const [first] = await kit().enqueue(...ofKey('a', 2))
      await kit().run(busy(await kit().claimOne(), 800))
      expect(await kit().store.groupKey({ name: 'report', key: 'a' })).toMatchObject({
        busyUntil: START + 800,
        turnId: first,
      })
    })

    it('a list by group and key finds its jobs in every status, and no others', async () => {
      const list = async (input: ListInput) => {
        const { jobs } = await kit().store.list(listInput.parse(input))
        return jobs.map(({ id }) => id).toSorted()
      }
      await group().rules({ concurrency: 1 })
      const own = await kit().enqueue(...ofKey('a', 4))
      await kit().run(complete(await kit().claimOne()))
      await kit().run(fail(await kit().claimOne(), { retryInMs: 900 }))
      const [elsewhere = ''] = await kit().enqueue({ type: 'mail', groupKey: 'a' })
      const [otherKey = ''] = await kit().enqueue({ groupKey: 'b' }, {})
      expect(await list({ group: 'report', groupKey: 'a' })).toEqual(own.toSorted())
      expect(await list({ groupKey: 'a' })).toEqual([...own, elsewhere].toSorted())
      expect(await list({ group: 'report' })).toEqual([...own, otherKey].toSorted())
      expect(await list({ group: 'report', groupKey: 'a', status: ['blocked', 'pending'] })).toEqual(
        own.slice(2).toSorted(),
      )
      expect(await list({ group: 'report', groupKey: 'a', status: ['completed'] })).toEqual(own.slice(0, 1))
      expect(await list({ group: 'unknown' })).toEqual([])
      const filter = { group: 'report', groupKey: 'a' }
      const { ids } = await kit().store.match({ filter, before: Number.MAX_SAFE_INTEGER, limit: 100 })
      expect(ids.toSorted()).toEqual(own.toSorted())
      expect(await kit().store.countMatches({ filter, before: null })).toEqual({ count: 4, cursor: null })
    })

    it('blocked jobs are counted by type and are not ready', async () => {
      await group().rules({ concurrency: 1 })
      await kit().enqueue(...ofKey('a', 3))
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 1, blocked: 2 })
      expect(await kit().store.totals()).toMatchObject({ pending: 1, blocked: 2 })
      expect((await kit().store.ready()).get('report')).toMatchObject({ count: 1 })
    })
  })
}
