/** Lists of jobs: any filter, three orders, cursors and pages, within a time budget. */
import type { PoolClient } from 'pg'
import { encodeCursor, type Position, type Sort, startOf } from '../../list/list-key.ts'
import { COUNT_ROWS, FIRST_BODIES, FIRST_ROWS, maxBodyLength, type Page, positionAfter } from '../../list/list-page.ts'
import { WALK_ROWS } from '../../list/list-plan.ts'
import { createPace } from '../../list/pace.ts'
import { type Counts, countMatching, typesWith } from '../../stats/status-counts.ts'
import type { Reads } from '../../store.ts'
import { inSnapshot } from '../connection/snapshot.ts'
import type { ReadOptions } from '../reads/read-options.ts'
import { readCounts } from '../reads/read-stats.ts'
import { claimOrderWalk } from './claim-order-walk.ts'
import { countByIds, gatherWalk } from './gather.ts'
import { type SqlFilter, splitFilter } from './list-filter.ts'
import { planList } from './list-plan.ts'
import { readBodies, readIds, readRows } from './page-rows.ts'
import { seqWalk } from './seq-walk.ts'
import { sortWalk } from './sort-walk.ts'
import { collect, NOTHING, switchAfter, type Walk } from './walk.ts'

type ListReads = Pick<Reads, 'list' | 'match' | 'countMatches'>

export function createListReads({ open, searchBudgetMs }: Pick<ReadOptions, 'open' | 'searchBudgetMs'>): ListReads {
  function walkFor(client: PoolClient, filter: SqlFilter, sort: Sort, counts: Counts): Walk {
    const plan = planList(filter, sort, counts)
    switch (plan.source) {
      case 'none':
        return NOTHING
      case 'ids':
      case 'gather':
        return gatherWalk(client, filter, sort, counts)
      case 'claim':
        return claimOrderWalk(client, filter, typesWith('pending', filter.type, counts))
      case 'sort':
        return sortWalk(client, filter, searchBudgetMs)
      case 'walk': {
        const walk = seqWalk(client, filter, sort === 'oldest' ? 'oldest' : 'newest')
        return plan.gatherLater ? switchAfter(WALK_ROWS, walk, gatherWalk(client, filter, sort, counts)) : walk
      }
    }
  }

  function find(
    client: PoolClient,
    filter: SqlFilter,
    sort: Sort,
    counts: Counts,
    start: Position,
    limit: number,
  ): Promise<Page> {
    const pace = createPace(searchBudgetMs, filter.body.length > 0 ? FIRST_BODIES : FIRST_ROWS)
    return collect(walkFor(client, filter, sort, counts), start, limit, pace)
  }

  /** Exact, or null where counting needs a search. */
  async function totalOf(client: PoolClient, filter: SqlFilter, counts: Counts): Promise<number | null> {
    if (filter.body.length > 0) return null
    if (filter.ids !== null) return countByIds(client, filter)
    return filter.row.length === 0 ? countMatching(filter, counts) : null
  }

  return {
    async list(params) {
      const { sort, limit } = params
      const start = startOf(params)
      const filter = splitFilter(params)
      // One snapshot for counts, plan and rows: gathering reads only the types that have jobs by the counts.
      return inSnapshot(open(), async (client) => {
        const counts = await readCounts(client)
        const page = await find(client, filter, sort, counts, start, limit)
        const jobs = params.payloads
          ? await readBodies(client, page.keys, maxBodyLength(params))
          : await readRows(client, page.keys)
        const next = positionAfter(page, jobs.length)
        return {
          jobs,
          nextCursor: next === null ? null : encodeCursor(sort, next),
          total: await totalOf(client, filter, counts),
        }
      })
    },
    async match({ filter, before, limit }) {
      const start = { key: { seq: before, priority: 0, runAt: 0 }, skip: 0 }
      return inSnapshot(open(), async (client) => {
        const page = await find(client, splitFilter(filter), 'newest', await readCounts(client), start, limit)
        return { ids: await readIds(client, page.keys), cursor: page.next?.key.seq ?? null }
      })
    },
    async countMatches({ filter: params, before }) {
      const filter = splitFilter(params)
      return inSnapshot(open(), async (client) => {
        const counts = await readCounts(client)
        const total = before === null ? await totalOf(client, filter, counts) : null
        if (total !== null) return { count: total, cursor: null }
        const start = { key: before === null ? null : { seq: before, priority: 0, runAt: 0 }, skip: 0 }
        const page = await find(client, filter, 'newest', counts, start, COUNT_ROWS)
        return { count: page.keys.length, cursor: page.next?.key.seq ?? null }
      })
    },
  }
}
