/** Walks pending jobs in claim order, merging the types. */
import { compareKeys, type Key } from '../../list/list-key.ts'
import { KEY_COLUMNS } from '../../rows/list-keys.ts'
import type { SelectKeys } from './key-statements.ts'
import type { SqlFilter } from './list-filter.ts'
import { testKeys, type Walk } from './walk.ts'

const PENDING = `FROM millrace_jobs j INDEXED BY millrace_jobs_claim WHERE j.status = 'pending' AND j.type = ?`
const FIRST = `SELECT ${KEY_COLUMNS} ${PENDING} ORDER BY j.priority DESC, j.run_at, j.seq LIMIT ?`
const SAME_PRIORITY = `SELECT ${KEY_COLUMNS} ${PENDING} AND j.priority = ? AND (j.run_at, j.seq) > (?, ?)
  ORDER BY j.run_at, j.seq LIMIT ?`
const LOWER_PRIORITY = `SELECT ${KEY_COLUMNS} ${PENDING} AND j.priority < ?
  ORDER BY j.priority DESC, j.run_at, j.seq LIMIT ?`

const MIN_WINDOW = 16

export function claimOrderWalk(selectKeys: SelectKeys, filter: SqlFilter, types: readonly string[]): Walk {
  const tests = [...filter.row, ...filter.body]
  const merge = (after: Key | null, rows: number) =>
    types
      .flatMap((type) => nextOfType(selectKeys, type, after, rows))
      .sort(compareKeys('claim'))
      .slice(0, rows)
  return (after, pace, need) => {
    if (tests.length === 0) return { matches: merge(after, need), last: null }
    // The first n of the merge come from the first n of every type.
    const rows = Math.max(MIN_WINDOW, Math.ceil(pace.size / Math.max(1, types.length)))
    const window = merge(after, rows)
    const matches = testKeys(selectKeys, window, tests)
    return { matches, last: window.length < rows ? null : (window.at(-1) ?? null) }
  }
}

/** Two index ranges instead of one OR, which would scan from the first job of the priority on every page. */
function nextOfType(selectKeys: SelectKeys, type: string, after: Key | null, rows: number): readonly Key[] {
  if (after === null) return selectKeys(FIRST, [type, rows])
  const same = selectKeys(SAME_PRIORITY, [type, after.priority, after.runAt, after.seq, rows])
  if (same.length >= rows) return same
  return [...same, ...selectKeys(LOWER_PRIORITY, [type, after.priority, rows - same.length])]
}
