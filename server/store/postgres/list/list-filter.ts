/** Turns a job filter into SQL conditions, split by what each of them has to read. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import type { Status } from '../../../../shared/status.ts'
import { contains, LAST_ERROR_KEY, pendingIs, readingsOf, searchPatterns, statusesOf } from '../../list/job-filter.ts'
import type { Statement } from './statement.ts'

/** Writes itself into a statement, which numbers its values. */
export type Condition = (statement: Statement) => string

export interface SplitFilter {
  /** null: every status. Empty: nothing can match. */
  readonly statuses: readonly Status[] | null
  readonly type: string | null
  /** How many ids are asked for, which is a condition like others; null: any. */
  readonly ids: number | null
  /** Conditions on other columns of the job, alias `j`. */
  readonly row: readonly Condition[]
  /** Conditions that read other tables: attempts, or the payload, alias `b`, which may be a mebibyte each. */
  readonly body: readonly Condition[]
}

export function splitFilter(filter: JobFilter): SplitFilter {
  return {
    statuses: statusesOf(filter),
    type: filter.type ?? null,
    ids: filter.ids?.length ?? null,
    row: [
      ...when(filter.ids, (ids) => (s) => `j.id = any(${s.value(ids)}::text[])`),
      ...when(filter.idEnd, (end) => (s) => `right(j.id, ${end.length}) = ${s.value(end)}`),
      ...when(filter.pending, (which) => () => pendingIs(which)),
      ...when(filter.worker, (worker) => (s) => `j.locked_by = ${s.value(worker)}`),
      ...when(filter.priority, (priority) => (s) => `j.priority = ${s.value(priority)}`),
      // A clock can jump, so creation times need not follow seq: no range of seq stands in for these two.
      ...when(filter.from, (from) => (s) => `j.created_at >= ${s.value(from)}`),
      ...when(filter.to, (to) => (s) => `j.created_at < ${s.value(to)}`),
      ...when(filter.error, (error) => (s) => like(s, 'j.error', contains(error))),
    ],
    body: [
      ...when(filter.errorKey, (key) => (s) => `${LAST_ERROR_KEY} = ${s.value(key)}`),
      ...when(
        filter.payload,
        ({ path, equals }) =>
          (s) =>
            payloadEquals(s, path, equals),
      ),
      ...when(filter.search, (search) => (s) => {
        const places = searchPatterns(search).map(([column, pattern]) => like(s, column, pattern))
        return `(${places.join(' or ')})`
      }),
    ],
  }
}

/** Status names go into the text, so that the planner sees that they imply the condition of a partial index. */
export function statusIs(statuses: readonly Status[]): string {
  if (statuses.length === 0) return 'false'
  return `j.status in (${statuses.map((status) => `'${status}'`).join(', ')})`
}

/** Type and status as conditions, for walks that no index leads. */
export function kindOf(filter: SplitFilter): readonly Condition[] {
  const { statuses, type } = filter
  return [
    ...(type === null ? [] : [(s: Statement) => `j.type = ${s.value(type)}`]),
    ...(statuses === null ? [] : [() => statusIs(statuses)]),
  ]
}

/** The collation "C" folds the case of ASCII alone, as SQLite does, whatever the database's own. */
function like(statement: Statement, column: string, pattern: string): string {
  return `${column} collate "C" ilike ${statement.value(pattern)}`
}

/**
 * jsonb tells 1, "1" and true apart and calls 1 and 1.0 equal. In strict mode a key does not look into arrays, nor a
 * position into objects; what is not there is silent and gives NULL, which JSON's own null is not.
 */
function payloadEquals(statement: Statement, path: string, equals: string | number | boolean | null): string {
  const value = statement.value(JSON.stringify(equals))
  const places = readingsOf(path).map((reading) => {
    const place = statement.value(`strict ${reading}`)
    return `jsonb_path_query_first(b.payload::jsonb, ${place}::jsonpath, '{}', true) = ${value}::jsonb`
  })
  return `(${places.join(' or ')})`
}

function when<Value>(value: Value | undefined, make: (value: Value) => Condition): Condition[] {
  return value === undefined ? [] : [make(value)]
}
