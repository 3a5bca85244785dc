/** Walks all jobs in order of seq and tests each: the cost grows with the rows read. */
import { KEY_COLUMNS, SEQ_COLUMNS } from '../../rows/list-keys.ts'
import type { Queryable } from '../connection/open.ts'
import { type SqlFilter, typeAndStatusIs } from './list-filter.ts'
import { Statement } from './statement.ts'
import { selectKeys, type Walk, WITH_BODIES } from './walk.ts'

const DIRECTIONS = {
  newest: { order: 'DESC', behind: '<', upTo: '>=', start: Number.MAX_SAFE_INTEGER, end: 0 },
  oldest: { order: 'ASC', behind: '>', upTo: '<=', start: 0, end: Number.MAX_SAFE_INTEGER },
} as const

export function seqWalk(queryable: Queryable, filter: SqlFilter, sort: 'newest' | 'oldest'): Walk {
  const { order, behind, upTo, start, end } = DIRECTIONS[sort]
  const tests = [...typeAndStatusIs(filter), ...filter.row, ...filter.body]
  const bodies = filter.body.length > 0 ? WITH_BODIES : ''
  const edgeText = `SELECT ${SEQ_COLUMNS} FROM millrace_jobs j
    WHERE j.seq ${behind} $1 ORDER BY j.seq ${order} LIMIT 1 OFFSET $2`

  return async (after, pace, need) => {
    const from = after?.seq ?? start
    // Without a test every row matches, and the LIMIT bounds the window.
    const windowed = tests.length > 0 || need > pace.size
    const edge = windowed ? (await selectKeys(queryable, edgeText, [from, pace.size - 1]))[0] : undefined
    const statement = new Statement()
    const range = `j.seq ${behind} ${statement.value(from)} AND j.seq ${upTo} ${statement.value(edge?.seq ?? end)}`
    const text = `SELECT ${KEY_COLUMNS} FROM millrace_jobs j ${bodies} WHERE ${range}${statement.and(tests)}
      ORDER BY j.seq ${order} LIMIT ${statement.value(need)}`
    return { matches: await selectKeys(queryable, text, statement.values), last: edge ?? null }
  }
}
