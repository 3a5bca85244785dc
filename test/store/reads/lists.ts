/** Lists of rows written by the test: every filter and order, compared with a model. */
import { describe, expect, it } from 'vitest'
import type { ListInput } from '../../../shared/contracts/observe.ts'
import { accepts, FILTERS, mixed, ORDERS } from './list-model.ts'
import { everything, list, seqs } from './list-pages.ts'
import { idOf, type MakeRows } from './rows.ts'

export function describeLists(makeRows: MakeRows): void {
  describe('lists', () => {
    for (const sort of ['newest', 'oldest', 'claim'] as const) {
      it.each([10_000, 0])(
        `gives each match once, ${sort}, whatever the filter, with a budget of %i ms`,
        async (searchBudgetMs) => {
          const rows = makeRows()
          mixed(rows)
          const all = (await list(await rows.reads(), { limit: 200, payloads: true })).jobs
          expect(all).toHaveLength(130)
          const reads = await rows.reads({ searchBudgetMs })
          for (const filter of FILTERS) {
            const expected = all.filter((job) => accepts(job, filter)).sort(ORDERS[sort])
            const input: ListInput = { ...filter, sort, limit: 7 }
            expect({ filter, found: (await everything(reads, input)).seqs }).toEqual({
              filter,
              found: expected.map((job) => job.seq),
            })
            const second = { ...input, page: 2 }
            const next = await everything(await rows.reads(), { ...input, offset: 3, limit: 5 })
            expect({ filter, found: seqs(await list(await rows.reads(), second)) }).toEqual({
              filter,
              found: expected.slice(7, 14).map((job) => job.seq),
            })
            expect(next.seqs).toEqual(expected.slice(3).map((job) => job.seq))
            const total = (await list(reads, input)).total
            const others = Object.keys(filter).filter((key) => !['status', 'type', 'ids'].includes(key))
            const columns = ['priority', 'worker', 'from', 'to', 'error']
            const simple = others.every((key) => filter.ids !== undefined && columns.includes(key))
            expect({ filter, total }).toEqual({ filter, total: simple ? expected.length : null })
          }
        },
      )
    }
  })

  describe('match', () => {
    it('match returns ids, newest first below a seq, in chunks without gaps or repeats', async () => {
      const rows = makeRows()
      mixed(rows)
      for (const searchBudgetMs of [10_000, 0]) {
        const reads = await rows.reads({ searchBudgetMs })
        const found: string[] = []
        let before: number | null = 300
        while (before !== null) {
          const chunk: ReturnType<typeof reads.match> = await reads.match({
            filter: { search: 'user 1' },
            before,
            limit: 4,
          })
          found.push(...chunk.ids)
          before = chunk.cursor
        }
        const expected = (await everything(reads, { search: 'user 1', limit: 200 })).seqs.filter((seq) => seq < 300)
        expect(found).toEqual(expected.map(idOf))
      }
      expect(await (await rows.reads()).match({ filter: { status: [] }, before: 300, limit: 4 })).toEqual({
        ids: [],
        cursor: null,
      })
    })
  })
}
