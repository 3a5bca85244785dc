/** Walks all jobs in order of seq and tests each: the cost grows with the rows read. */
import { KEY_COLUMNS, SEQ_COLUMNS } from '../../rows/list-keys.ts'
import type { SelectKeys } from './key-statements.ts'
import { type Fragment, joinAnd, type SqlFilter, statusIs } from './list-filter.ts'
import type { Walk } from './walk.ts'

const DIRECTIONS = {
  newest: { order: 'DESC', behind: '<', upTo: '>=', start: Number.MAX_SAFE_INTEGER, end: 0 },
  oldest: { order: 'ASC', behind: '>', upTo: '<=', start: 0, end: Number.MAX_SAFE_INTEGER },
} as const

export function seqWalk(selectKeys: SelectKeys, filter: SqlFilter, sort: 'newest' | 'oldest'): Walk {
  const { order, behind, upTo, start, end } = DIRECTIONS[sort]
  const source = 'millrace_jobs j NOT INDEXED'
  const tests = testsOf(filter)
  const condition = joinAnd(tests)
  const bodies = filter.body.length > 0 ? 'LEFT JOIN millrace_job_bodies b ON b.seq = j.seq' : ''

  const edgeSql = `SELECT ${SEQ_COLUMNS} FROM ${source}
    WHERE j.seq ${behind} ? ORDER BY j.seq ${order} LIMIT 1 OFFSET ?`
  const windowSql = `SELECT ${KEY_COLUMNS} FROM ${source} ${bodies}
    WHERE j.seq ${behind} ? AND j.seq ${upTo} ? ${tests.length > 0 ? `AND ${condition.sql}` : ''}
    ORDER BY j.seq ${order} LIMIT ?`

  return (after, pace, need) => {
    const from = after?.seq ?? start
    // Without a test every row matches, and the LIMIT bounds the window.
    const windowed = tests.length > 0 || need > pace.size
    const edge = windowed ? selectKeys(edgeSql, [from, pace.size - 1])[0] : undefined
    const matches = selectKeys(windowSql, [from, edge?.seq ?? end, ...condition.params, need])
    return { matches, last: edge ?? null }
  }
}

function testsOf(filter: SqlFilter): readonly Fragment[] {
  const status = filter.statuses === null ? [] : [{ sql: statusIs(filter.statuses), params: [] }]
  const type = filter.type === null ? [] : [{ sql: 'j.type = ?', params: [filter.type] }]
  return [...type, ...status, ...filter.row, ...filter.body]
}
