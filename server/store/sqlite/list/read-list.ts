/** Lists of jobs: any filter, three orders, cursors and pages, within a time budget. */

import type { ListParams } from '../../../../shared/contracts/observe.ts'
import type { ListPage, MatchCount } from '../../../../shared/records.ts'
import { encodeCursor, type Key, type Position, type Sort, startOf } from '../../list/list-key.ts'
import { COUNT_ROWS, FIRST_BODIES, FIRST_ROWS, maxBodyLength, type Page, positionAfter } from '../../list/list-page.ts'
import { WALK_ROWS } from '../../list/list-plan.ts'
import { createPace } from '../../list/pace.ts'
import { bodyLength, type FullRecord, SELECT_FULL_JOB, toJob } from '../../rows/job-bodies.ts'
import { JOB_COLUMNS, type JobRecord, toSummary } from '../../rows/job-columns.ts'
import type { Row } from '../../rows/tables.ts'
import { type Counts, countMatching, typesWith } from '../../stats/status-counts.ts'
import type { Reads } from '../../store.ts'
import type { Client } from '../connection/open.ts'
import { claimOrderWalk } from './claim-order-walk.ts'
import { countByIds, gatherWalk } from './gather.ts'
import { createSelectKeys, type SelectKeys } from './key-statements.ts'
import { type SqlFilter, splitFilter } from './list-filter.ts'
import { planList } from './list-plan.ts'
import { seqWalk } from './seq-walk.ts'
import { sortWalk } from './sort-walk.ts'
import { collect, NOTHING, switchAfter, type Walk } from './walk.ts'

type MatchParams = Parameters<Reads['match']>[0]
type CountParams = Parameters<Reads['countMatches']>[0]

export interface ListReads {
  list(params: ListParams): ListPage
  match(params: MatchParams): Awaited<ReturnType<Reads['match']>>
  countMatches(params: CountParams): MatchCount
}

export function createListReads(client: Client, counts: () => Counts, searchBudgetMs: number): ListReads {
  const selectKeys = createSelectKeys(client)
  const summary = client.prepare<[seq: number], JobRecord>(`SELECT ${JOB_COLUMNS} FROM millrace_jobs WHERE seq = ?`)
  const id = client.prepare<[seq: number], Row<'jobs', 'id'>>('SELECT id FROM millrace_jobs WHERE seq = ?')
  const full = client.prepare<[seq: number], FullRecord>(`${SELECT_FULL_JOB} WHERE j.seq = ?`)

  function find(filter: SqlFilter, sort: Sort, now: Counts, start: Position, limit: number): Page {
    const pace = createPace(searchBudgetMs, filter.body.length > 0 ? FIRST_BODIES : FIRST_ROWS)
    return collect(walkFor(selectKeys, filter, sort, now), start, limit, pace)
  }

  function withoutBodies(keys: readonly Key[]): ListPage['jobs'] {
    return keys.flatMap((key) => {
      const row = summary.get(key.seq)
      return row ? [toSummary(row)] : []
    })
  }

  function withBodies(keys: readonly Key[], maxLength: number): ListPage['jobs'] {
    const jobs: ListPage['jobs'][number][] = []
    let length = 0
    for (const key of keys) {
      const row = full.get(key.seq)
      if (!row) continue
      length += bodyLength(row)
      if (length > maxLength && jobs.length > 0) break
      jobs.push(toJob(row))
    }
    return jobs
  }

  function list(params: ListParams): ListPage {
    const { sort, limit } = params
    const filter = splitFilter(params)
    const now = counts()
    const page = find(filter, sort, now, startOf(params), limit)
    const jobs = params.payloads ? withBodies(page.keys, maxBodyLength(params)) : withoutBodies(page.keys)
    const next = positionAfter(page, jobs.length)
    return {
      jobs,
      nextCursor: next === null ? null : encodeCursor(sort, next),
      total: totalOf(filter, now),
    }
  }

  /** Exact, or null where counting needs a search. */
  function totalOf(filter: SqlFilter, now: Counts): number | null {
    if (filter.body.length > 0) return null
    if (filter.ids !== null) return countByIds(selectKeys, filter, now)
    return filter.row.length === 0 ? countMatching(filter, now) : null
  }

  function match({ filter, before, limit }: MatchParams) {
    const start = { key: { seq: before, priority: 0, runAt: 0 }, skip: 0 }
    const page = find(splitFilter(filter), 'newest', counts(), start, limit)
    return { ids: page.keys.flatMap((key) => id.get(key.seq)?.id ?? []), cursor: page.next?.key.seq ?? null }
  }

  function countMatches({ filter: params, before }: CountParams): MatchCount {
    const filter = splitFilter(params)
    const now = counts()
    const total = before === null ? totalOf(filter, now) : null
    if (total !== null) return { count: total, cursor: null }
    const start = { key: before === null ? null : { seq: before, priority: 0, runAt: 0 }, skip: 0 }
    const page = find(filter, 'newest', now, start, COUNT_ROWS)
    return { count: page.keys.length, cursor: page.next?.key.seq ?? null }
  }

  // One snapshot for counts, plan and rows: gathering reads only the types that have jobs by the counts.
  return {
    list: client.transaction(list),
    match: client.transaction(match),
    countMatches: client.transaction(countMatches),
  }
}

function walkFor(selectKeys: SelectKeys, filter: SqlFilter, sort: Sort, counts: Counts): Walk {
  const plan = planList(filter, sort, counts)
  switch (plan.source) {
    case 'none':
      return NOTHING
    case 'ids':
    case 'gather':
      return gatherWalk(selectKeys, filter, sort, counts)
    case 'claim':
      return claimOrderWalk(selectKeys, filter, typesWith('pending', filter.type, counts))
    case 'sort':
      return sortWalk(seqWalk(selectKeys, filter, 'newest'))
    case 'walk': {
      const walk = seqWalk(selectKeys, filter, sort === 'oldest' ? 'oldest' : 'newest')
      return plan.gatherLater ? switchAfter(WALK_ROWS, walk, gatherWalk(selectKeys, filter, sort, counts)) : walk
    }
  }
}
