/** Walks all jobs in order of seq and tests each: cost grows with the rows passed over. */

import type { Queryable } from '../connection/open.ts'
import { kindOf, type SplitFilter } from './list-filter.ts'
import { Statement } from './statement.ts'
import { KEY, selectKeys, type Walk, WITH_BODIES } from './walk.ts'

const DIRECTIONS = {
  newest: { order: 'desc', behind: '<', upTo: '>=', start: Number.MAX_SAFE_INTEGER, end: 0 },
  oldest: { order: 'asc', behind: '>', upTo: '<=', start: 0, end: Number.MAX_SAFE_INTEGER },
} as const

export function seqWalk(queryable: Queryable, filter: SplitFilter, sort: 'newest' | 'oldest'): Walk {
  const { order, behind, upTo, start, end } = DIRECTIONS[sort]
  const tests = [...kindOf(filter), ...filter.row, ...filter.body]
  const bodies = filter.body.length > 0 ? WITH_BODIES : ''
  const edgeText = `select j.seq, 0 as priority, 0 as "runAt" from millrace_jobs j
    where j.seq ${behind} $1 order by j.seq ${order} limit 1 offset $2`

  return async (after, pace, need) => {
    const from = after?.seq ?? start
    // Without a test every row is a match, and the limit alone bounds the window.
    const windowed = tests.length > 0 || need > pace.size
    const edge = windowed ? (await selectKeys(queryable, edgeText, [from, pace.size - 1]))[0] : undefined
    const statement = new Statement()
    const range = `j.seq ${behind} ${statement.value(from)} and j.seq ${upTo} ${statement.value(edge?.seq ?? end)}`
    const text = `select ${KEY} from millrace_jobs j ${bodies} where ${range}${statement.and(tests)}
      order by j.seq ${order} limit ${statement.value(need)}`
    return { matches: await selectKeys(queryable, text, statement.values), last: edge ?? null }
  }
}
