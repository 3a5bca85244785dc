/** Chooses how a list finds its jobs, from the exact counts per type and status. */
import { type Status, TERMINAL_STATUSES } from '../../../../shared/status.ts'
import type { Sort } from '../../list/list-key.ts'
import { type Counts, candidates, sumCounts } from '../../stats/status-counts.ts'
import type { SplitFilter } from './list-filter.ts'

export interface Plan {
  /** `none`: nothing can match. `ids`: those named. `claim`: pending jobs by their own index. `sort`: everything, sorted. */
  readonly source: 'none' | 'ids' | 'walk' | 'gather' | 'claim' | 'sort'
  /** A walk that found too little may go on by gathering. */
  readonly gatherLater: boolean
}

/** Jobs that are always worth gathering: a few milliseconds. */
const GATHER_FIRST = 10_000
/** Jobs up to which gathering beats a walk that found too little in WALK_ROWS: about 200 ms. */
const GATHER_LATER = 200_000
/** With conditions on payloads all keys are held in memory. */
const GATHER_KEYS = 100_000
export const WALK_ROWS = 20_000
/** Where one job in more than this is wanted, a walk would not fill a page in WALK_ROWS. */
const SPARSE = WALK_ROWS / 50

export function planList(filter: SplitFilter, sort: Sort, counts: Counts): Plan {
  const plan = (source: Plan['source'], gatherLater = false): Plan => ({ source, gatherLater })
  const { statuses } = filter
  if (statuses?.length === 0) return plan('none')
  if (filter.ids !== null) return plan('ids')
  const weight = gatherWeight(filter, counts)
  const canGather = weight <= (filter.body.length === 0 ? GATHER_LATER : GATHER_KEYS)
  if (sort === 'claim') {
    if (statuses?.length === 1 && statuses[0] === 'pending') return plan('claim')
    return plan(canGather ? 'gather' : 'sort')
  }
  if (statuses === null && filter.type === null) return plan('walk')
  const everything = candidates({ statuses: null, type: null }, counts)
  const sparse = candidates(filter, counts) * SPARSE < everything
  return canGather && (weight <= GATHER_FIRST || sparse) ? plan('gather') : plan('walk', canGather)
}

/** The index entries that gathering reads; see sourcesOf in gather.ts. */
function gatherWeight({ statuses, type }: SplitFilter, counts: Counts): number {
  const asked = (status: Status) => statuses?.includes(status) ?? true
  const typed = (['pending', 'processing', ...TERMINAL_STATUSES] as const).filter(asked)
  // The index of due jobs knows neither type nor status: all of its entries are read.
  const due = asked('scheduled') || asked('retrying')
  return sumCounts(typed, type, counts) + sumCounts(due ? ['scheduled', 'retrying'] : [], null, counts)
}
