/** Walks pending jobs in claim order, merging the types. */
import type { Key } from '../../list/list-key.ts'
import { KEY_COLUMNS } from '../../rows/list-keys.ts'
import type { Queryable } from '../connection/open.ts'
import type { SqlFilter } from './list-filter.ts'
import { selectKeys, testKeys, type Walk } from './walk.ts'

const CLAIM_ORDER = 'j.priority DESC, j.run_at, j.seq'
const PENDING = `SELECT ${KEY_COLUMNS} FROM millrace_jobs j WHERE j.status = 'pending' AND j.type = t.type`
const MERGED = 'ORDER BY priority DESC, "runAt", seq LIMIT $2'
// The first n of the merge come from the first n of every type.
const FIRST = `SELECT k.* FROM unnest($1::text[]) AS t (type)
  CROSS JOIN LATERAL (${PENDING} ORDER BY ${CLAIM_ORDER} LIMIT $2) k ${MERGED}`
// Two index ranges instead of one OR, which would scan from the first job of the priority on every page.
const BEHIND = `SELECT k.* FROM unnest($1::text[]) AS t (type)
  CROSS JOIN LATERAL (
    (${PENDING} AND j.priority = $3 AND (j.run_at, j.seq) > ($4::bigint, $5::bigint) ORDER BY j.run_at, j.seq LIMIT $2)
    UNION ALL
    (${PENDING} AND j.priority < $3 ORDER BY ${CLAIM_ORDER} LIMIT $2)
  ) k ${MERGED}`

const MIN_WINDOW = 16

export function claimOrderWalk(queryable: Queryable, filter: SqlFilter, types: readonly string[]): Walk {
  const tests = [...filter.row, ...filter.body]
  const merge = (after: Key | null, rows: number) =>
    after === null
      ? selectKeys(queryable, FIRST, [types, rows])
      : selectKeys(queryable, BEHIND, [types, rows, after.priority, after.runAt, after.seq])
  return async (after, pace, need) => {
    if (tests.length === 0) return { matches: await merge(after, need), last: null }
    const rows = Math.max(MIN_WINDOW, Math.ceil(pace.size / Math.max(1, types.length)))
    const window = await merge(after, rows)
    const matches = await testKeys(queryable, window, tests)
    return { matches, last: window.length < rows ? null : (window.at(-1) ?? null) }
  }
}
