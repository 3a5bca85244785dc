/** All reads of one SQLite connection, and the rule for which of them run on the reader thread. */
import type { JobFilter, ListParams } from '../../../../shared/contracts/observe.ts'
import type { Defaults } from '../../../../shared/settings/settings.ts'
import type { StatusCounts } from '../../../../shared/status.ts'
import { countMatching } from '../../stats/status-counts.ts'
import type { KeptCounts } from '../commit/kept-counts.ts'
import type { Client } from '../connection/open.ts'
import { splitFilter } from '../list/list-filter.ts'
import { GATHER_FIRST, gatherWeight, planList } from '../list/list-plan.ts'
import { createListReads } from '../list/read-list.ts'
import { createControlReads } from './read-control.ts'
import { createFailureReads } from './read-failures.ts'
import { createGroupReads } from './read-groups.ts'
import { createJobReads } from './read-jobs.ts'
import { createScheduleReads } from './read-schedules.ts'
import { createStatsReads } from './read-stats.ts'
import { createTokenReads } from './read-tokens.ts'
import type { SyncReads } from './sync-reads.ts'

/** Limits of reads on the main thread, about 2 ms each: rows tested, rows skipped, payloads searched. */
const INLINE_ROWS = 5_000
const INLINE_SKIP = 1_000
const INLINE_BODIES = 100

export interface ReadOptions {
  readonly now: () => number
  readonly defaults: Defaults
  /** Maximum search time of a list before it returns a partial page. */
  readonly searchBudgetMs: number
  /** Updated by the caller when this connection writes; not needed on a read-only connection. */
  readonly counts?: KeptCounts
}

type HeavyParams = JobFilter & Partial<Pick<ListParams, 'sort' | 'limit' | 'page' | 'offset'>>

/** Prepares all statements, so the tables must exist. */
export function createReads(client: Client, options: ReadOptions): SyncReads {
  const stats = createStatsReads(client, options.counts)
  return {
    ...createJobReads(client),
    ...createListReads(client, stats.counts, options.searchBudgetMs),
    ...stats,
    ...createFailureReads(client, options),
    ...createControlReads(client, options.defaults),
    ...createScheduleReads(client),
    ...createGroupReads(client),
    ...createTokenReads(client),
  }
}

/** True when a list or match may take so long that it belongs on the reader thread. */
export function isHeavy(params: HeavyParams, counts: ReadonlyMap<string, StatusCounts>): boolean {
  const filter = splitFilter(params)
  const sort = params.sort ?? 'newest'
  const reach = countMatching({ ...filter, statuses: null, type: null }, counts)
  const skipped = params.offset ?? ((params.page ?? 1) - 1) * (params.limit ?? 0)
  const bodies = Math.min(countMatching(filter, counts), filter.ids ?? reach)
  if (filter.body.length > 0 && bodies > INLINE_BODIES) return true
  if (Math.min(skipped, reach) > INLINE_SKIP) return true
  switch (planList(filter, sort, counts).source) {
    case 'none':
    case 'ids':
      return false
    case 'gather':
      return gatherWeight(filter, sort, counts) > GATHER_FIRST
    case 'claim':
      return filter.row.length > 0 && countMatching(filter, counts) > INLINE_ROWS
    case 'walk':
      return (filter.statuses !== null || filter.type !== null || filter.row.length > 0) && reach > INLINE_ROWS
    case 'sort':
      return reach > INLINE_ROWS
  }
}

/** The same for counting, which reads every job that might match, while a list stops after a page. */
export function isHeavyCount(filter: JobFilter, counts: ReadonlyMap<string, StatusCounts>): boolean {
  const { row, body, ids, ...of } = splitFilter(filter)
  if (row.length === 0 && body.length === 0) return false
  return isHeavy(filter, counts) || Math.min(countMatching(of, counts), ids ?? Number.POSITIVE_INFINITY) > INLINE_BODIES
}
