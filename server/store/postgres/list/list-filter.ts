/** Job filter as SQL conditions, split by what each of them reads. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import type { Status } from '../../../../shared/status.ts'
import {
  contains,
  jsonPathsOf,
  LAST_ERROR_KEY,
  pendingIs,
  type SplitFilter,
  searchPatterns,
  statusesOf,
} from '../../list/job-filter.ts'
import type { Statement } from './statement.ts'

/** Adds its values to a statement, which numbers them, and returns its SQL. */
export type Condition = (statement: Statement) => string

export type SqlFilter = SplitFilter<Condition>

export function splitFilter(filter: JobFilter): SqlFilter {
  return {
    statuses: statusesOf(filter),
    type: filter.type ?? null,
    ids: filter.ids?.length ?? null,
    row: [
      ...when(filter.ids, (ids) => (s) => `j.id = ANY(${s.value(ids)}::text[])`),
      ...when(filter.idEnd, (end) => (s) => `right(j.id, ${end.length}) = ${s.value(end)}`),
      ...when(filter.pending, (which) => () => pendingIs(which)),
      ...when(filter.worker, (worker) => (s) => `j.locked_by = ${s.value(worker)}`),
      ...when(filter.priority, (priority) => (s) => `j.priority = ${s.value(priority)}`),
      ...when(filter.group, (name) => (s) => `j.group_name = ${s.value(name)}`),
      ...when(filter.groupKey, (key) => (s) => `j.group_key = ${s.value(key)}`),
      // A clock can jump, so creation times may not follow seq: a range of seq cannot replace these two.
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
        const conditions = searchPatterns(search).map(([column, pattern]) => like(s, column, pattern))
        return `(${conditions.join(' OR ')})`
      }),
    ],
  }
}

/** Status names are part of the SQL text, so that the planner can match them to the condition of a partial index. */
export function statusIs(statuses: readonly Status[]): string {
  if (statuses.length === 0) return 'false'
  return `j.status IN (${statuses.map((status) => `'${status}'`).join(', ')})`
}

/** Type and status as conditions, for walks without an index on them. */
export function typeAndStatusIs(filter: SqlFilter): readonly Condition[] {
  const { statuses, type } = filter
  return [
    ...(type === null ? [] : [(s: Statement) => `j.type = ${s.value(type)}`]),
    ...(statuses === null ? [] : [() => statusIs(statuses)]),
  ]
}

/** The collation "C" ignores the case of ASCII letters only, as SQLite does, whatever the database's collation is. */
function like(statement: Statement, column: string, pattern: string): string {
  return `${column} COLLATE "C" ILIKE ${statement.value(pattern)}`
}

/**
 * For jsonb 1, "1" and true are different, 1 and 1.0 are equal. In strict mode a key does not match in arrays, nor an index in
 * objects. A missing path gives SQL NULL, which differs from JSON null.
 */
function payloadEquals(statement: Statement, path: string, equals: string | number | boolean | null): string {
  const value = statement.value(JSON.stringify(equals))
  const conditions = jsonPathsOf(path).map((jsonPath) => {
    const strictPath = statement.value(`strict ${jsonPath}`)
    return `jsonb_path_query_first(b.payload::jsonb, ${strictPath}::jsonpath, '{}', true) = ${value}::jsonb`
  })
  return `(${conditions.join(' OR ')})`
}

function when<Value>(value: Value | undefined, make: (value: Value) => Condition): Condition[] {
  return value === undefined ? [] : [make(value)]
}
