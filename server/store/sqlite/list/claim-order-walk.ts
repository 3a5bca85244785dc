/** Walks pending jobs in the order in which they will be claimed, merging the types. */

import { compareKeys, type Key } from '../../list/list-key.ts'
import type { SelectKeys } from './key-statements.ts'
import type { SplitFilter } from './list-filter.ts'
import { testKeys, type Walk } from './walk.ts'

const COLUMNS = 'j.seq, j.priority, j.run_at as runAt'
const PENDING = `from millrace_jobs j indexed by millrace_jobs_claim where j.status = 'pending' and j.type = ?`
const FIRST = `select ${COLUMNS} ${PENDING} order by j.priority desc, j.run_at, j.seq limit ?`
const SAME_PRIORITY = `select ${COLUMNS} ${PENDING} and j.priority = ? and (j.run_at, j.seq) > (?, ?)
  order by j.run_at, j.seq limit ?`
const LOWER_PRIORITY = `select ${COLUMNS} ${PENDING} and j.priority < ?
  order by j.priority desc, j.run_at, j.seq limit ?`

const MIN_WINDOW = 16

export function claimOrderWalk(selectKeys: SelectKeys, filter: SplitFilter, types: readonly string[]): Walk {
  const tests = [...filter.row, ...filter.body]
  const merge = (after: Key | null, rows: number) =>
    types
      .flatMap((type) => nextOfType(selectKeys, type, after, rows))
      .sort(compareKeys('claim'))
      .slice(0, rows)
  return (after, pace, need) => {
    if (tests.length === 0) return { matches: merge(after, need), last: null }
    // The first n of the merge need the first n of every type.
    const rows = Math.max(MIN_WINDOW, Math.ceil(pace.size / Math.max(1, types.length)))
    const window = merge(after, rows)
    const matches = testKeys(selectKeys, window, tests)
    return { matches, last: window.length < rows ? null : (window.at(-1) ?? null) }
  }
}

/** Two seeks instead of one condition: an OR would walk from the first job of the priority on every page. */
function nextOfType(selectKeys: SelectKeys, type: string, after: Key | null, rows: number): readonly Key[] {
  if (after === null) return selectKeys(FIRST, [type, rows])
  const same = selectKeys(SAME_PRIORITY, [type, after.priority, after.runAt, after.seq, rows])
  if (same.length >= rows) return same
  return [...same, ...selectKeys(LOWER_PRIORITY, [type, after.priority, rows - same.length])]
}
