/** Edge cases of lists: time budget, cursors, wildcards, payload paths, large bodies. */
import { describe, expect, it } from 'vitest'
import type { JobFilter, ListInput } from '../../../shared/contracts/observe.ts'
import type { MatchCount } from '../../../shared/records.ts'
import { refusedBy } from '../../support/refusal.ts'
import { everything, list, seqs } from './list-pages.ts'
import type { MakeRows, TestReads } from './rows.ts'

export function describeListEdges(makeRows: MakeRows): void {
  describe('lists', () => {
    it('ends a page early when its time is up, and continues there, offset included', async () => {
      const rows = makeRows()
      rows.batch(() => {
        for (let n = 1; n <= 100; n++) rows.job({ payload: { word: n % 10 === 0 ? 'needle' : 'hay' } })
      })
      const reads = await rows.reads({ searchBudgetMs: 0 })
      const first = await list(reads, { search: 'needle', limit: 50, offset: 4 })
      // A window of 32 rows holds four matches: all of them are skipped, and the cursor contains that.
      expect([seqs(first), first.nextCursor === null]).toEqual([[], false])
      const { seqs: found, pages } = await everything(reads, { search: 'needle', limit: 50, offset: 4 })
      expect([found, pages]).toEqual([[60, 50, 40, 30, 20, 10], 4])
    })

    it('counts all matches, in parts when its time is up', async () => {
      const rows = makeRows()
      rows.batch(() => {
        for (let n = 1; n <= 100; n++) {
          const payload = { word: n % 10 === 0 ? 'needle' : 'hay' }
          rows.job({ payload, type: n > 50 ? 'late' : 'early', columns: { priority: n % 4 } })
        }
      })
      const count = async (reads: TestReads, filter: JobFilter) => {
        const parts: number[] = []
        for (let before: number | null = null; parts.length < 20; ) {
          const part: MatchCount = await reads.countMatches({ filter, before })
          parts.push(part.count)
          before = part.cursor
          if (before === null) break
        }
        return parts
      }
      const quick = await rows.reads({ searchBudgetMs: 0 })
      // Windows of 32 payloads, newest first: 100 to 69, 68 to 37, 36 to 5, 4 to 1.
      expect(await count(quick, { search: 'needle' })).toEqual([4, 3, 3, 0])
      expect(await count(quick, { type: 'late' })).toEqual([50])
      const patient = await rows.reads()
      const filters: readonly JobFilter[] = [
        { search: 'needle' },
        { type: 'late', priority: 1 },
        { payload: { path: 'word', equals: 'hay' }, type: 'early', status: ['pending'] },
        { error: 'nothing' },
        { status: ['failed'] },
        {},
      ]
      const counted: number[][] = []
      for (const filter of filters) counted.push(await count(patient, filter))
      expect(counted).toEqual([[10], [12], [45], [0], [0], [100]])
    })

    it('refuses cursors that are broken or belong to another order', async () => {
      const rows = makeRows()
      for (let n = 0; n < 3; n++) rows.job()
      const reads = await rows.reads()
      const cursor = (await list(reads, { limit: 1, sort: 'oldest' })).nextCursor ?? ''
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const bad = [cursor, 'x', '', '????', encode(['newest']), encode(['newest', 0, 1.5]), encode(['newest', 0, '1'])]
      for (const wrong of [...bad, encode(['claim', 0, 1, 2, 3]), encode({}), encode(['newest', -1, 3])]) {
        const error = await refusedBy(list(reads, { cursor: wrong }))
        expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining('drop it')])
      }
    })

    it('takes % and _ and backslashes literally in a search', async () => {
      const rows = makeRows()
      const texts = ['100% sure', '100 sure', 'a_b', 'axb', 'c\\d', 'cd', 'read "hi"', 'tab\there', 'É', 'é']
      for (const text of texts) rows.job({ payload: { text }, columns: { error: text } })
      const reads = await rows.reads()
      const found = async (input: ListInput) =>
        seqs(await list(reads, { ...input, sort: 'oldest' })).map((seq) => texts[seq - 1])
      for (const by of ['search', 'error'] as const) {
        expect(await found({ [by]: '100%' })).toEqual(['100% sure'])
        expect(await found({ [by]: '%sure' })).toEqual([])
        expect(await found({ [by]: 'a_b' })).toEqual(['a_b'])
        expect(await found({ [by]: 'C\\D' })).toEqual(['c\\d'])
        expect(await found({ [by]: 'READ "hi"' })).toEqual(['read "hi"'])
        expect(await found({ [by]: 'b\th' })).toEqual(['tab\there'])
        expect(await found({ [by]: 'é' })).toEqual(['é'])
      }
      const inPayload = makeRows()
      inPayload.job({ payload: 'read "hi"\nthere' })
      expect(seqs(await list(await inPayload.reads(), { search: 'HI"\nthe' }))).toEqual([1])
    })

    it('compares payload values by type', async () => {
      const rows = makeRows()
      const values = [1, '1', true, 'true', null, 'null', 0, false, 1.5, '', [1], { 0: 1 }, '[1]', 'a"b', '{"0":1}']
      for (const v of values) rows.job({ payload: { v } })
      rows.job({ payload: [['x', { 'a-b': 'deep', $ref: 2 }]] })
      rows.job({ payload: { 0: { 1: { 'a-b': 'deep' } } } })
      rows.job({ payload: 5 })
      const reads = await rows.reads()
      const at = async (path: string, equals: string | number | boolean | null) =>
        seqs(await list(reads, { payload: { path, equals }, sort: 'oldest' }))
      for (const [index, value] of values.entries()) {
        if (typeof value !== 'object' || value === null)
          expect([value, await at('v', value)]).toEqual([value, [index + 1]])
      }
      expect(await at('v.0', 1)).toEqual([11, 12])
      expect(await at('v.00', 1)).toEqual([])
      expect(await at('v.x', null)).toEqual([])
      expect(await at('0.1.a-b', 'deep')).toEqual([16, 17])
      expect(await at('0.1.$ref', 2)).toEqual([16])
    })

    it('adds bodies when asked, and ends a page of cursors before it grows too large', async () => {
      const rows = makeRows()
      for (let n = 1; n <= 11; n++) rows.job({ payload: 'x'.repeat(1_000_000), result: { n }, status: 'completed' })
      const reads = await rows.reads()
      expect((await list(reads, { limit: 1 })).jobs[0]).not.toHaveProperty('payload')
      const page = await list(reads, { payloads: true })
      expect([seqs(page), page.jobs[0]?.result]).toEqual([[11, 10, 9, 8], { n: 11 }])
      expect((await everything(reads, { payloads: true })).seqs).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      expect(seqs(await list(reads, { payloads: true, page: 1 }))).toHaveLength(11)
    })
  })
}
