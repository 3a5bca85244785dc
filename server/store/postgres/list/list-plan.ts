/** Costs of finding jobs in PostgreSQL, and the list plan that follows from them. */
import { type Status, TERMINAL_STATUSES } from '../../../../shared/status.ts'
import type { Sort } from '../../list/list-key.ts'
import { GATHER_KEYS, type GatherCosts, type ListPlan, planList as planWith } from '../../list/list-plan.ts'
import { type Counts, sumCounts } from '../../stats/status-counts.ts'
import type { SqlFilter } from './list-filter.ts'

/** Jobs up to which gathering is faster than continuing a walk with too few matches: about 200 ms. */
const GATHER_LATER = 200_000

/**
 * Gathered jobs are scattered over the table: one costs as much as about 20 that are read in order of seq. So gathering comes first only
 * up to the cost of walking through WALK_ROWS.
 */
const COUNTED: GatherCosts<SqlFilter> = {
  weight: gatherWeight,
  first: 1_000,
  isPossible: (weight) => weight <= GATHER_LATER,
}

/** How many jobs match is not known, so that a walk may find none. With payloads it also takes many small windows. */
const UNCOUNTED: GatherCosts<SqlFilter> = {
  weight: gatherWeight,
  first: 10_000,
  isPossible: (weight, filter) => weight <= (filter.body.length === 0 ? GATHER_LATER : GATHER_KEYS),
}

export function planList(filter: SqlFilter, sort: Sort, counts: Counts): ListPlan {
  return planWith(filter, sort, counts, filter.row.length + filter.body.length === 0 ? COUNTED : UNCOUNTED)
}

/** The index entries that gathering reads; see sourcesOf in gather.ts. */
function gatherWeight({ statuses, type }: SqlFilter, _sort: Sort, counts: Counts): number {
  const includes = (status: Status) => statuses?.includes(status) ?? true
  const typed = (['pending', 'processing', ...TERMINAL_STATUSES] as const).filter(includes)
  // The index of due jobs contains neither type nor status, that of blocked jobs no type: all of their entries are read.
  const due = includes('scheduled') || includes('retrying')
  const untyped = [...(due ? (['scheduled', 'retrying'] as const) : []), ...(['blocked'] as const).filter(includes)]
  return sumCounts(typed, type, counts) + sumCounts(untyped, null, counts)
}
