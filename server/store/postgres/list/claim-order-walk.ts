/** Walks pending jobs in the order in which they will be claimed, merging the types. */
import type { Key } from '../../list/list-key.ts'
import type { Queryable } from '../connection/open.ts'
import type { SplitFilter } from './list-filter.ts'
import { KEY, selectKeys, testKeys, type Walk } from './walk.ts'

const CLAIM_ORDER = 'j.priority desc, j.run_at, j.seq'
const PENDING = `select ${KEY} from millrace_jobs j where j.status = 'pending' and j.type = t.type`
const MERGED = 'order by priority desc, "runAt", seq limit $2'
// The first n of the merge need the first n of every type.
const FIRST = `select k.* from unnest($1::text[]) as t (type)
  cross join lateral (${PENDING} order by ${CLAIM_ORDER} limit $2) k ${MERGED}`
// Two seeks instead of one condition: an OR would walk from the first job of the priority on every page.
const BEHIND = `select k.* from unnest($1::text[]) as t (type)
  cross join lateral (
    (${PENDING} and j.priority = $3 and (j.run_at, j.seq) > ($4::bigint, $5::bigint) order by j.run_at, j.seq limit $2)
    union all
    (${PENDING} and j.priority < $3 order by ${CLAIM_ORDER} limit $2)
  ) k ${MERGED}`

const MIN_WINDOW = 16

export function claimOrderWalk(queryable: Queryable, filter: SplitFilter, types: readonly string[]): Walk {
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
