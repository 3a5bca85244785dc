/** Lists and matches: every filter, every order, and cursors that neither skip nor repeat. */
import { describe, expect, it } from 'vitest'
import type { Sort } from '../../../../server/store/list/list-key.ts'
import type { Lease } from '../../../../server/store/ops.ts'
import { type JobFilter, type ListInput, listInput } from '../../../../shared/contracts/observe.ts'
import { STATUSES, type Status } from '../../../../shared/status.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { ORDERS, type Row } from '../../reads/list-model.ts'
import { complete, fail, jobAction, nextId, release } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

/** One job in every status and type, each made a moment after the last. */
async function jobsOfAllSorts(kit: Kit): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [n, type] of ['email', 'report'].entries()) {
    for (const [m, status] of STATUSES.filter((status) => status !== 'pending' && status !== 'blocked').entries()) {
      const job = { type, payload: JSON.stringify({ n, m, tags: [`Tag ${m}`] }), dedupeKey: `key-${type}-${m}` }
      ids[`${type} ${status}`] = await kit.jobIn(status, { ...job, priority: m % 3 })
      await kit.advance(10)
    }
    ids[`${type} pending`] = await kit.jobIn('pending', { type, payload: '{"text":"50% \\"off\\""}', priority: 1 })
    await kit.advance(10)
    ids[`${type} blocked`] = await kit.jobIn('blocked', { type, payload: '{"text":"later"}', priority: 1 })
    await kit.advance(10)
  }
  return ids
}

export function describeLists(harness: StoreHarness): void {
  describe('a list', () => {
    const kit = eachKit(harness)
    const list = (input: ListInput = {}) => kit().store.list(listInput.parse(input))
    const ids = async (input: ListInput) => (await list(input)).jobs.map((job) => job.id)

    async function follow(input: ListInput): Promise<string[]> {
      const found: string[] = []
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page = await list({ ...input, ...(cursor !== undefined && { cursor }) })
        found.push(...page.jobs.map((job) => job.id))
        cursor = page.nextCursor
      }
      return found
    }

    it('a list finds jobs by status and type, with an exact total', async () => {
      const made = await jobsOfAllSorts(kit())
      const cases: [ListInput, string[]][] = [
        ...STATUSES.map((status): [ListInput, string[]] => [
          { status: [status] },
          [`report ${status}`, `email ${status}`],
        ]),
        [{ status: ['failed', 'cancelled'], type: 'email' }, ['email cancelled', 'email failed']],
        [{ status: [] }, []],
        [{ type: 'unknown' }, []],
      ]
      for (const [input, names] of cases) {
        const page = await list(input)
        expect({ input, found: page.jobs.map((job) => job.id) }).toEqual({
          input,
          found: names.map((name) => made[name]),
        })
        expect([input, page.total]).toEqual([input, names.length])
      }
      expect((await list()).total).toBe(16)
    })

    it('a list finds jobs by all other filters, without a total', async () => {
      const made = await jobsOfAllSorts(kit())
      const cases: [ListInput, string[]][] = [
        [{ worker: 'worker-1' }, ['report processing', 'email processing']],
        [{ worker: 'worker-1', status: ['pending'] }, []],
        [{ priority: 2, type: 'email' }, ['email retrying', 'email cancelled']],
        [{ error: 'BOOM', type: 'email' }, ['email failed', 'email retrying']],
        [{ from: START + 10, to: START + 30 }, ['email retrying', 'email processing']],
        [{ payload: { path: 'n', equals: 1 }, status: ['failed'] }, ['report failed']],
        [{ payload: { path: 'n', equals: '1' } }, []],
        [{ payload: { path: 'tags.0', equals: 'Tag 5' } }, ['report cancelled', 'email cancelled']],
        [{ search: 'tag 4', type: 'report' }, ['report failed']],
        [{ search: 'KEY-EMAIL-1' }, ['email processing']],
        [{ search: '50% "OFF' }, ['report pending', 'email pending']],
        [{ search: '5_%' }, []],
        [{ search: made['email failed'] ?? '' }, ['email failed']],
      ]
      for (const [input, names] of cases) {
        const page = await list(input)
        const found = page.jobs.map((job) => Object.keys(made).find((name) => made[name] === job.id))
        expect({ input, found: found.sort() }).toEqual({ input, found: names.toSorted() })
        expect([page.total, page.nextCursor]).toEqual([null, null])
      }
    })

    it('a list finds jobs by id, in every order, with an exact total', async () => {
      const made = await jobsOfAllSorts(kit())
      await kit().enqueue(...Array.from({ length: 300 }, () => ({ type: 'hay' })))
      const named = Object.keys(made).filter((_, n) => n % 2 === 0)
      const some = [nextId(), ...named.map((name) => made[name] ?? ''), nextId()]
      const jobs = (await list({ ids: some, limit: 50 })).jobs
      expect(jobs.map((job) => job.id)).toEqual(some.slice(1, -1).reverse())
      for (const [sort, compare] of Object.entries(ORDERS) as [Sort, (a: Row, b: Row) => number][]) {
        const expected = jobs.toSorted(compare).map((job) => job.id)
        expect([sort, await follow({ ids: some, sort, limit: 2 })]).toEqual([sort, expected])
        const second = await list({ ids: some, sort, limit: 3, page: 2 })
        expect([second.jobs.map((job) => job.id), second.total]).toEqual([expected.slice(3, 6), 8])
      }
      const narrow: [ListInput, number | null][] = [
        [{ ids: some, type: 'email' }, 4],
        [{ ids: some, status: ['failed'] }, 2],
        [{ ids: some, status: [] }, 0],
        [{ ids: some, type: 'hay' }, 0],
        [{ ids: some, priority: 2 }, 2],
        [{ ids: some, search: 'tag' }, null],
      ]
      for (const [input, total] of narrow) {
        const { ids: _, ...rest } = input
        // Page by page: on a busy machine the time budget of a search can end it before its page is full.
        const expected = (await follow({ ...rest, limit: 200 })).filter((id) => some.includes(id))
        expect([rest, await follow(input), (await list(input)).total]).toEqual([rest, expected, total])
      }
      const most = await kit().enqueue(...Array.from({ length: 1_000 }, () => ({})))
      expect(await follow({ ids: most, limit: 200 })).toEqual(most.toReversed())
    })

    it('a list finds jobs by the failure group of their last finished attempt', async () => {
      const failed = (error: string) =>
        kit()
          .held()
          .then((lease) => kit().run(fail(lease, { error, retry: false })))
      const again = async (error: string): Promise<Lease> => {
        const lease = await kit().held()
        await kit().run(fail(lease, { error, retryInMs: 0 }))
        return kit().claimOne()
      }
      await failed('disk 1 is full')
      await failed('disk 2 is full')
      await failed('disk 3 is full of dust')
      await kit().run(complete(await again('disk 4 is full')))
      await kit().run(fail(await again('disk 5 is full'), { error: 'no disk', retry: false }))
      await kit().run(fail(await again('no disk'), { error: 'disk 6 is full', retry: false }))
      await kit().run(release(await again('disk 7 is full'), 60_000))
      const running = await again('disk 8 is full')
      const { jobs } = await list({ sort: 'oldest' })
      const [one, two, , , , six] = jobs.map((job) => job.id)
      const errorKey = 'disk <n> is full'
      expect(await ids({ errorKey, sort: 'oldest' })).toEqual([one, two, six])
      expect(await follow({ errorKey, type: 'report', status: ['failed'], limit: 1 })).toEqual([six, two, one])
      expect(await ids({ errorKey, type: 'email' })).toEqual([])
      expect(await ids({ errorKey, status: ['completed', 'processing'] })).toEqual([])
      // A retried job still has its last attempt. A failure without a message has an empty key.
      await kit().run(jobAction('retry', one ?? ''))
      expect(await ids({ errorKey, status: ['pending'] })).toEqual([one])
      await kit().run(fail(running, { error: '', retry: false }))
      expect(await ids({ errorKey: '' })).toEqual([running.id])
      expect((await list({ errorKey })).total).toBeNull()
    })

    it('a list is the same by cursor, by page and by offset, in every order', async () => {
      const made = await jobsOfAllSorts(kit())
      const inOrder = Object.values(made)
      expect(await follow({ sort: 'oldest', limit: 3 })).toEqual(inOrder)
      expect(await follow({ sort: 'newest', limit: 3 })).toEqual(inOrder.toReversed())
      expect(await ids({ sort: 'oldest', limit: 4, page: 3 })).toEqual(inOrder.slice(8, 12))
      expect(await ids({ sort: 'newest', limit: 4, offset: 12 })).toEqual(inOrder.toReversed().slice(12))
      const jobs = (await list({ limit: 50 })).jobs.toSorted(
        (a, b) => b.priority - a.priority || a.runAt - b.runAt || a.seq - b.seq,
      )
      expect(await follow({ sort: 'claim', limit: 3 })).toEqual(jobs.map((job) => job.id))
    })

    it('a list of pending jobs in claim order is the order in which they are claimed', async () => {
      for (let n = 0; n < 30; n++) {
        await kit().add({ type: `type-${n % 4}`, priority: n % 3, runAt: START - ((n * 7) % 11) })
      }
      const listed = await follow({ status: ['pending'], sort: 'claim', limit: 4 })
      expect(listed).toHaveLength(30)
      expect(await kit().claimIds()).toEqual(listed)
    })

    it('a list has payloads and results when requested', async () => {
      const id = await kit().jobIn('completed', { payload: '{"a":[1]}' })
      expect((await list()).jobs[0]).not.toHaveProperty('payload')
      expect((await list({ payloads: true })).jobs).toEqual([await kit().job(id)])
    })

    it('a list refuses a foreign cursor with a message that advises to drop it', async () => {
      await kit().enqueue({}, {})
      const { nextCursor } = await list({ limit: 1 })
      for (const cursor of ['nonsense', nextCursor ?? '']) {
        const refused = list({ cursor, sort: 'claim' })
        await expect(refused).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('drop it') })
      }
    })

    it('a list finds a few jobs among many, also while others are added', async () => {
      const wanted: string[] = []
      for (let n = 0; n < 4; n++) {
        await kit().enqueue(...Array.from({ length: 60 }, () => ({ payload: '{"word":"hay"}' })))
        wanted.unshift(await kit().add({ payload: '{"word":"needle"}' }))
      }
      expect(await follow({ search: 'Needle', limit: 3 })).toEqual(wanted)
      wanted.unshift(await kit().add({ payload: '{"word":"needle"}' }))
      expect(await follow({ payload: { path: 'word', equals: 'needle' }, limit: 3 })).toEqual(wanted)
    })
  })

  describe('a match', () => {
    const kit = eachKit(harness)

    it('a match returns ids, newest first below a seq, in chunks', async () => {
      const made = await jobsOfAllSorts(kit())
      const waiting: Status[] = ['scheduled', 'blocked', 'pending', 'retrying']
      const some = Object.values(made).filter((_, n) => n % 2 === 0)
      const filters: JobFilter[] = [{}, { status: waiting }, { type: 'email' }, { search: 'tag' }, { ids: some }]
      filters.push({ ids: some, status: waiting }, { errorKey: 'boom <n>' }, { errorKey: 'boom <n>', type: 'email' })
      const newest = (await kit().store.list(listInput.parse({}))).jobs
      const before = newest[3]?.seq ?? 0
      for (const filter of filters) {
        const found: string[] = []
        let cursor: number | null = before
        while (cursor !== null) {
          const chunk = await kit().store.match({ filter, before: cursor, limit: 2 })
          found.push(...chunk.ids)
          cursor = chunk.cursor
        }
        const expected = await kit().store.list(listInput.parse({ ...filter, limit: 50 }))
        expect(found).toEqual(expected.jobs.filter((job) => job.seq < before).map((job) => job.id))
      }
      expect(Object.keys(made)).toHaveLength(16)
    })
  })
}
