/** Walks all jobs in order of seq and tests each: cost grows with the rows passed over. */
import type { SelectKeys } from './key-statements.ts'
import { type Fragment, joinAnd, type SplitFilter, statusIs } from './list-filter.ts'
import type { Walk } from './walk.ts'

const DIRECTIONS = {
  newest: { order: 'desc', behind: '<', upTo: '>=', start: Number.MAX_SAFE_INTEGER, end: 0 },
  oldest: { order: 'asc', behind: '>', upTo: '<=', start: 0, end: Number.MAX_SAFE_INTEGER },
} as const

export function seqWalk(selectKeys: SelectKeys, filter: SplitFilter, sort: 'newest' | 'oldest'): Walk {
  const { order, behind, upTo, start, end } = DIRECTIONS[sort]
  const source = 'millrace_jobs j not indexed'
  const tests = testsOf(filter)
  const condition = joinAnd(tests)
  const bodies = filter.body.length > 0 ? 'left join millrace_job_bodies b on b.seq = j.seq' : ''

  const edgeSql = `select j.seq, 0 as priority, 0 as runAt from ${source}
    where j.seq ${behind} ? order by j.seq ${order} limit 1 offset ?`
  const windowSql = `select j.seq, j.priority, j.run_at as runAt from ${source} ${bodies}
    where j.seq ${behind} ? and j.seq ${upTo} ? ${tests.length > 0 ? `and ${condition.sql}` : ''}
    order by j.seq ${order} limit ?`

  return (after, pace, need) => {
    const from = after?.seq ?? start
    // Without a test every row is a match, and the limit alone bounds the window.
    const windowed = tests.length > 0 || need > pace.size
    const edge = windowed ? selectKeys(edgeSql, [from, pace.size - 1])[0] : undefined
    const matches = selectKeys(windowSql, [from, edge?.seq ?? end, ...condition.params, need])
    return { matches, last: edge ?? null }
  }
}

function testsOf(filter: SplitFilter): readonly Fragment[] {
  const status = filter.statuses === null ? [] : [{ sql: statusIs(filter.statuses), params: [] }]
  const type = filter.type === null ? [] : [{ sql: 'j.type = ?', params: [filter.type] }]
  return [...type, ...status, ...filter.row, ...filter.body]
}
