/** Finds jobs by partial indexes or ids: the cost depends on these jobs, not on all jobs. */
import { type Status, TERMINAL_STATUSES } from '../../../../shared/status.ts'
import type { Key, Sort } from '../../list/list-key.ts'
import { KEY_COLUMNS } from '../../rows/list-keys.ts'
import { type Counts, typesWith } from '../../stats/status-counts.ts'
import type { Queryable } from '../connection/open.ts'
import { type Condition, type SqlFilter, statusIs, typeAndStatusIs } from './list-filter.ts'
import { Statement } from './statement.ts'
import { selectKeys, testKeys, type Walk } from './walk.ts'

const ORDER = {
  newest: 'seq DESC',
  oldest: 'seq',
  claim: 'priority desc, "runAt", seq',
} as const satisfies Record<Sort, string>

export function gatherWalk(queryable: Queryable, filter: SqlFilter, sort: Sort, counts: Counts): Walk {
  const gather = (after: Key | null, need: number | null) => {
    const statement = new Statement()
    const conditions = statement.and([...filter.row, ...behind(sort, after)])
    const sources = sourcesOf(filter, counts).map((source) => {
      return `SELECT ${KEY_COLUMNS} FROM millrace_jobs j WHERE ${source(statement)}${conditions}`
    })
    if (sources.length === 0) return []
    // MATERIALIZED: because of the LIMIT the planner would otherwise scan the primary key.
    const text = `WITH found AS MATERIALIZED (${sources.join(' UNION ALL ')})
      SELECT * FROM found ORDER BY ${ORDER[sort]} LIMIT ${statement.value(need)}`
    return selectKeys(queryable, text, statement.values)
  }
  if (filter.body.length === 0) {
    return async (after, _pace, need) => ({ matches: await gather(after, need), last: null })
  }
  // The first window reads all keys. Payloads are then read window by window.
  let keys: readonly Key[] | undefined
  return async (after, pace) => {
    keys ??= await gather(after, null)
    const window = keys.slice(0, pace.size)
    keys = keys.slice(pace.size)
    const matches = await testKeys(queryable, window, filter.body)
    return { matches, last: keys.length > 0 ? (window.at(-1) ?? null) : null }
  }
}

/** Counts the jobs with the ids of the filter that meet its conditions on the jobs table. */
export async function countByIds(queryable: Queryable, filter: SqlFilter): Promise<number> {
  const statement = new Statement()
  const text = `SELECT count(*) AS n FROM millrace_jobs j WHERE TRUE${statement.and([...typeAndStatusIs(filter), ...filter.row])}`
  return (await queryable.query<{ readonly n: number }>(text, statement.values)).rows[0]?.n ?? 0
}

/** One partial index each. The conditions must be spelt as in the schema. */
function sourcesOf(filter: SqlFilter, counts: Counts): readonly Condition[] {
  const { statuses, type, ids } = filter
  // The ids themselves are one of the row conditions.
  if (ids !== null) return [(s) => `true${s.and(typeAndStatusIs(filter))}`]
  const includes = (status: Status) => statuses?.includes(status) ?? true
  const ofType = (s: Statement) => (type === null ? '' : ` AND j.type = ${s.value(type)}`)
  const sources: Condition[] = []
  for (const status of (['pending', 'processing'] as const).filter(includes)) {
    sources.push((s) => `j.status = '${status}'${ofType(s)}`)
  }
  // The index of blocked jobs begins with the group, for lists of one; it does not contain the type.
  if (includes('blocked')) sources.push((s) => `j.status = 'blocked'${ofType(s)}`)
  const due = (['scheduled', 'retrying'] as const).filter(includes)
  if (due.length > 0) {
    const only = due.length === 1 ? ` AND ${statusIs(due)}` : ''
    sources.push((s) => `j.status IN ('scheduled', 'retrying')${only}${ofType(s)}`)
  }
  // The index of finished jobs begins with the type: a list of all types lists those with such jobs.
  for (const status of TERMINAL_STATUSES.filter(includes)) {
    const types = typesWith(status, type, counts)
    if (types.length === 0) continue
    sources.push(
      (s) => `j.finished_at IS NOT NULL AND j.status = '${status}' AND j.type = ANY(${s.value(types)}::text[])`,
    )
  }
  return sources
}

function behind(sort: Sort, after: Key | null): readonly Condition[] {
  if (after === null) return []
  if (sort === 'newest') return [(s) => `j.seq < ${s.value(after.seq)}`]
  if (sort === 'oldest') return [(s) => `j.seq > ${s.value(after.seq)}`]
  return [behindInClaimOrder(after)]
}

export function behindInClaimOrder(after: Key): Condition {
  return (s) => {
    const priority = s.value(after.priority)
    const rest = `(j.run_at, j.seq) > (${s.value(after.runAt)}::bigint, ${s.value(after.seq)}::bigint)`
    return `(j.priority < ${priority} OR (j.priority = ${priority} AND ${rest}))`
  }
}
