/** Chooses how a list finds its jobs, from the exact counts per type and status. */
import { type Counts, countMatching } from '../stats/status-counts.ts'
import type { SplitFilter } from './job-filter.ts'
import type { Sort } from './list-key.ts'

/**
 * none: nothing can match. ids: jobs by id. claim: pending jobs by the claim index. gather: jobs of some statuses by the partial
 * indexes. walk: all jobs in order of seq. sort: all jobs, sorted.
 */
type Source = 'none' | 'ids' | 'walk' | 'gather' | 'claim' | 'sort'

export interface ListPlan {
  readonly source: Source
  /** A walk that found too few matches may continue by gathering. */
  readonly gatherLater: boolean
}

/** Cost estimates for gathering, per dialect. */
export interface GatherCosts<Filter> {
  /** Index entries that gathering reads. */
  weight(filter: Filter, sort: Sort, counts: Counts): number
  /** Up to this weight gathering is always cheaper than a walk. */
  readonly first: number
  /** Whether gathering is an alternative at all. */
  isPossible(weight: number, filter: Filter, counts: Counts): boolean
}

/** With conditions on payloads all keys are held in memory. */
export const GATHER_KEYS = 100_000
export const WALK_ROWS = 20_000
/** If fewer than one job in this many matches, a walk does not fill a page within WALK_ROWS. */
const SPARSE = WALK_ROWS / 50

export function planList<Filter extends SplitFilter<unknown>>(
  filter: Filter,
  sort: Sort,
  counts: Counts,
  costs: GatherCosts<Filter>,
): ListPlan {
  const { statuses, type, ids } = filter
  if (statuses?.length === 0) return plan('none')
  if (ids !== null) return plan('ids')
  const weight = costs.weight(filter, sort, counts)
  const canGather = costs.isPossible(weight, filter, counts)
  if (sort === 'claim') {
    if (statuses?.length === 1 && statuses[0] === 'pending') return plan('claim')
    return plan(canGather ? 'gather' : 'sort')
  }
  if (statuses === null && type === null) return plan('walk')
  const all = countMatching({ statuses: null, type: null }, counts)
  const isSparse = countMatching(filter, counts) * SPARSE < all
  return canGather && (weight <= costs.first || isSparse) ? plan('gather') : plan('walk', canGather)
}

function plan(source: Source, gatherLater = false): ListPlan {
  return { source, gatherLater }
}
