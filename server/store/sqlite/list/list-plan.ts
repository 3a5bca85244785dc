/** Chooses how a list finds its jobs, from the exact counts per type and status. */
import type { Status } from '../../../../shared/status.ts'
import type { Sort } from '../../list/list-key.ts'
import { type Counts, candidates, sumCounts } from '../../stats/status-counts.ts'
import type { SplitFilter } from './list-filter.ts'

export interface Plan {
  /** `none`: nothing can match. `ids`: those named. `claim`: pending jobs by their own index. `sort`: everything, sorted. */
  readonly source: 'none' | 'ids' | 'walk' | 'gather' | 'claim' | 'sort'
  /** A walk that found too little may go on by gathering. */
  readonly gatherLater: boolean
}

/** A row looked up through an index costs about four entries of a covering index, which take 0.14 µs each. */
const LOOKUP = 4
/** Index entries that are always worth gathering, about 2 ms. */
export const GATHER_FIRST = 15_000
/** Index entries up to which gathering beats a walk that found too little in WALK_ROWS, about 200 ms. */
const GATHER_LATER = 1_500_000
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
  const weight = gatherWeight(filter, sort, counts)
  const canGather = weight <= GATHER_LATER && (filter.body.length === 0 || candidates(filter, counts) <= GATHER_KEYS)
  if (sort === 'claim') {
    if (statuses?.length === 1 && statuses[0] === 'pending') return plan('claim')
    return plan(canGather ? 'gather' : 'sort')
  }
  if (statuses === null && filter.type === null) return plan('walk')
  const everything = candidates({ ...filter, statuses: null, type: null }, counts)
  const sparse = candidates(filter, counts) * SPARSE < everything
  return canGather && (weight <= GATHER_FIRST || sparse) ? plan('gather') : plan('walk', canGather)
}

/** The index entries that gathering reads; see sourcesOf in gather.ts. */
export function gatherWeight(filter: SplitFilter, sort: Sort, counts: Counts): number {
  const { statuses, type } = filter
  if (statuses === null && type === null && sort !== 'claim') return Number.POSITIVE_INFINITY
  const asked = (status: Status) => statuses?.includes(status) ?? true
  const price = (covering: boolean) => (covering && filter.row.length === 0 ? 1 : LOOKUP)
  const due = (['scheduled', 'retrying'] as const).filter(asked)
  const terminal = (['completed', 'failed', 'cancelled'] as const).filter(asked)
  return (
    sumCounts(asked('pending') ? ['pending'] : [], type, counts) * price(true) +
    // These two indexes know neither type nor (the first) status: all of their entries are read.
    sumCounts(due.length > 0 ? ['scheduled', 'retrying'] : [], null, counts) * LOOKUP +
    sumCounts(asked('processing') ? ['processing'] : [], null, counts) * price(type === null && sort !== 'claim') +
    sumCounts(terminal, type, counts) * price(sort !== 'claim')
  )
}
