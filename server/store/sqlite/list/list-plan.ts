/** Costs of finding jobs in SQLite, and the list plan that follows from them. */
import type { Status } from '../../../../shared/status.ts'
import type { Sort } from '../../list/list-key.ts'
import { GATHER_KEYS, type GatherCosts, type ListPlan, planList as planWith } from '../../list/list-plan.ts'
import { type Counts, countMatching, sumCounts } from '../../stats/status-counts.ts'
import type { SqlFilter } from './list-filter.ts'

/** A row looked up through an index costs about four entries of a covering index, which take 0.14 µs each. */
const LOOKUP = 4
/** Index entries that are always worth gathering, about 2 ms. */
export const GATHER_FIRST = 15_000
/** Index entries up to which gathering is faster than continuing a walk with too few matches, about 200 ms. */
const GATHER_LATER = 1_500_000

const COSTS: GatherCosts<SqlFilter> = {
  weight: gatherWeight,
  first: GATHER_FIRST,
  isPossible: (weight, filter, counts) =>
    weight <= GATHER_LATER && (filter.body.length === 0 || countMatching(filter, counts) <= GATHER_KEYS),
}

export function planList(filter: SqlFilter, sort: Sort, counts: Counts): ListPlan {
  // In order of seq, and with nothing but the jobs of the key.
  if (filter.unfinishedOf && filter.ids === null) return { source: 'gather', gatherLater: false }
  return planWith(filter, sort, counts, COSTS)
}

/** The index entries that gathering reads; see sourcesOf in gather.ts. */
export function gatherWeight(filter: SqlFilter, sort: Sort, counts: Counts): number {
  const { statuses, type } = filter
  if (filter.unfinishedOf) return sumCounts(statuses ?? [], type, counts) * LOOKUP
  if (statuses === null && type === null && sort !== 'claim') return Number.POSITIVE_INFINITY
  const includes = (status: Status) => statuses?.includes(status) ?? true
  const price = (covering: boolean) => (covering && filter.row.length === 0 ? 1 : LOOKUP)
  const due = (['scheduled', 'retrying'] as const).filter(includes)
  const terminal = (['completed', 'failed', 'cancelled'] as const).filter(includes)
  return (
    sumCounts(includes('pending') ? ['pending'] : [], type, counts) * price(true) +
    // These three indexes do not contain the type, and the second one not the status: all of their entries are read.
    sumCounts(includes('blocked') ? ['blocked'] : [], null, counts) * LOOKUP +
    sumCounts(due.length > 0 ? ['scheduled', 'retrying'] : [], null, counts) * LOOKUP +
    sumCounts(includes('processing') ? ['processing'] : [], null, counts) * price(type === null && sort !== 'claim') +
    sumCounts(terminal, type, counts) * price(sort !== 'claim')
  )
}
