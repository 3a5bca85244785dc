/** All reads of one SQLite connection, and which of them may take long. */
import type { JobFilter, ListParams } from '../../../../shared/contracts/observe.ts'
import type { Defaults } from '../../../../shared/settings.ts'
import type { StatusCounts } from '../../../../shared/status.ts'
import { candidates } from '../../stats/status-counts.ts'
import type { KeptCounts } from '../commit/kept-counts.ts'
import type { Client } from '../connection/open.ts'
import { splitFilter } from '../list/list-filter.ts'
import { GATHER_FIRST, gatherWeight, planList } from '../list/list-plan.ts'
import { createListReads } from '../list/read-list.ts'
import { createControlReads } from './read-control.ts'
import { createFailureReads } from './read-failures.ts'
import { createJobReads } from './read-jobs.ts'
import { createStatsReads } from './read-stats.ts'
import { createTokenReads } from './read-tokens.ts'
import type { SyncReads } from './sync-reads.ts'

/** What the main thread reads itself, in about 2 ms: rows tested, rows skipped, payloads searched. */
const INLINE_ROWS = 5_000
const INLINE_SKIP = 1_000
const INLINE_BODIES = 100

export interface ReadOptions {
  readonly now: () => number
  readonly defaults: Defaults
  /** How long a list may look for its jobs before it returns what it has. */
  readonly searchBudgetMs: number
  /** Kept up to date by the caller when this connection writes; a connection that only reads needs none. */
  readonly counts?: KeptCounts
}

type HeavyParams = JobFilter & Partial<Pick<ListParams, 'sort' | 'limit' | 'page' | 'offset'>>

/** The tables must exist: statements are prepared here, once. */
export function createReads(client: Client, options: ReadOptions): SyncReads {
  const stats = createStatsReads(client, options.counts)
  return {
    ...createJobReads(client),
    ...createListReads(client, stats.counts, options.searchBudgetMs),
    ...stats,
    ...createFailureReads(client, options),
    ...createControlReads(client, options.defaults),
    ...createTokenReads(client),
  }
}

/** Whether a list or match may take so long that it belongs on the reader thread. */
export function isHeavy(params: HeavyParams, counts: ReadonlyMap<string, StatusCounts>): boolean {
  const filter = splitFilter(params)
  const sort = params.sort ?? 'newest'
  const reach = candidates({ ...filter, statuses: null, type: null }, counts)
  const skipped = params.offset ?? ((params.page ?? 1) - 1) * (params.limit ?? 0)
  const bodies = Math.min(candidates(filter, counts), filter.ids ?? reach)
  if (filter.body.length > 0 && bodies > INLINE_BODIES) return true
  if (Math.min(skipped, reach) > INLINE_SKIP) return true
  switch (planList(filter, sort, counts).source) {
    case 'none':
    case 'ids':
      return false
    case 'gather':
      return gatherWeight(filter, sort, counts) > GATHER_FIRST
    case 'claim':
      return filter.row.length > 0 && candidates(filter, counts) > INLINE_ROWS
    case 'walk':
      return (filter.statuses !== null || filter.type !== null || filter.row.length > 0) && reach > INLINE_ROWS
    case 'sort':
      return reach > INLINE_ROWS
  }
}

/** Whether counting may take so long: it looks at every job that might match, where a list stops after a page. */
export function isHeavyCount(filter: JobFilter, counts: ReadonlyMap<string, StatusCounts>): boolean {
  const { row, body, ids, ...of } = splitFilter(filter)
  if (row.length === 0 && body.length === 0) return false
  return isHeavy(filter, counts) || Math.min(candidates(of, counts), ids ?? Number.POSITIVE_INFINITY) > INLINE_BODIES
}
