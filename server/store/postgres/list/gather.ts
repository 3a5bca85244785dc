/** Finds all jobs of some statuses through the partial indexes, or those named: cost grows with them, however many others there are. */
import { type Status, TERMINAL_STATUSES } from '../../../../shared/status.ts'
import type { Key, Sort } from '../../list/list-key.ts'
import { type Counts, typesWith } from '../../stats/status-counts.ts'
import type { Queryable } from '../connection/open.ts'
import { type Condition, kindOf, type SplitFilter, statusIs } from './list-filter.ts'
import { Statement } from './statement.ts'
import { KEY, selectKeys, testKeys, type Walk } from './walk.ts'

const ORDER = {
  newest: 'seq desc',
  oldest: 'seq',
  claim: 'priority desc, "runAt", seq',
} as const satisfies Record<Sort, string>

export function gatherWalk(queryable: Queryable, filter: SplitFilter, sort: Sort, counts: Counts): Walk {
  const gather = (after: Key | null, need: number | null) => {
    const statement = new Statement()
    const conditions = statement.and([...filter.row, ...behind(sort, after)])
    const sources = sourcesOf(filter, counts).map((source) => {
      return `select ${KEY} from millrace_jobs j where ${source(statement)}${conditions}`
    })
    if (sources.length === 0) return []
    // Materialized: for the sake of the limit the planner would walk the primary key, past everything else.
    const text = `with found as materialized (${sources.join(' union all ')})
      select * from found order by ${ORDER[sort]} limit ${statement.value(need)}`
    return selectKeys(queryable, text, statement.values)
  }
  if (filter.body.length === 0) {
    return async (after, _pace, need) => ({ matches: await gather(after, need), last: null })
  }
  // Payloads are read window by window, from keys that are all known after the first.
  let keys: readonly Key[] | undefined
  return async (after, pace) => {
    keys ??= await gather(after, null)
    const window = keys.slice(0, pace.size)
    keys = keys.slice(pace.size)
    const matches = await testKeys(queryable, window, filter.body)
    return { matches, last: keys.length > 0 ? (window.at(-1) ?? null) : null }
  }
}

/** How many of the jobs named by their ids meet all conditions but those that read other tables. */
export async function countNamed(queryable: Queryable, filter: SplitFilter): Promise<number> {
  const statement = new Statement()
  const text = `select count(*) as n from millrace_jobs j where true${statement.and([...kindOf(filter), ...filter.row])}`
  return (await queryable.query<{ n: number }>(text, statement.values)).rows[0]?.n ?? 0
}

/** One partial index each; their conditions are spelt as in the schema. */
function sourcesOf(filter: SplitFilter, counts: Counts): readonly Condition[] {
  const { statuses, type, ids } = filter
  // The ids themselves are among the conditions on the row.
  if (ids !== null) return [(s) => `true${s.and(kindOf(filter))}`]
  const asked = (status: Status) => statuses?.includes(status) ?? true
  const ofType = (s: Statement) => (type === null ? '' : ` and j.type = ${s.value(type)}`)
  const sources: Condition[] = []
  for (const status of (['pending', 'processing'] as const).filter(asked)) {
    sources.push((s) => `j.status = '${status}'${ofType(s)}`)
  }
  const due = (['scheduled', 'retrying'] as const).filter(asked)
  if (due.length > 0) {
    const only = due.length === 1 ? ` and ${statusIs(due)}` : ''
    sources.push((s) => `j.status in ('scheduled', 'retrying')${only}${ofType(s)}`)
  }
  // The index of finished jobs begins with the type, so a list of all types names those that have some.
  for (const status of TERMINAL_STATUSES.filter(asked)) {
    const types = typesWith(status, type, counts)
    if (types.length === 0) continue
    sources.push(
      (s) => `j.finished_at is not null and j.status = '${status}' and j.type = any(${s.value(types)}::text[])`,
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
    return `(j.priority < ${priority} or (j.priority = ${priority} and ${rest}))`
  }
}
