/** Turns a job filter into SQL conditions, split by what each of them has to read. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import type { Status } from '../../../../shared/status.ts'
import { contains, LAST_ERROR_KEY, pendingIs, searchPatterns, statusesOf } from '../../list/job-filter.ts'
import { payloadEquals } from './payload-path.ts'

export type SqlValue = string | number | null

/** A piece of SQL and the values of its placeholders. */
export interface Fragment {
  readonly sql: string
  readonly params: readonly SqlValue[]
}

export interface SplitFilter {
  /** null: every status. Empty: nothing can match. */
  readonly statuses: readonly Status[] | null
  readonly type: string | null
  /** How many ids are asked for, which is a condition like others; null: any. */
  readonly ids: number | null
  /** Conditions on other columns of the job, alias `j`. */
  readonly row: readonly Fragment[]
  /** Conditions that read other tables: attempts, or the payload, alias `b`, which may be a mebibyte each. */
  readonly body: readonly Fragment[]
}

export function splitFilter(filter: JobFilter): SplitFilter {
  return {
    statuses: statusesOf(filter),
    type: filter.type ?? null,
    ids: filter.ids?.length ?? null,
    row: [
      // As JSON: a statement takes fewer values than there may be ids.
      ...when(filter.ids, (ids) => ({
        sql: 'j.id in (select value from json_each(?))',
        params: [JSON.stringify(ids)],
      })),
      ...when(filter.idEnd, (end) => ({ sql: 'substr(j.id, ?) = ?', params: [-end.length, end] })),
      ...when(filter.pending, (which) => ({ sql: pendingIs(which), params: [] })),
      ...when(filter.worker, (worker) => ({ sql: 'j.locked_by = ?', params: [worker] })),
      ...when(filter.priority, (priority) => ({ sql: 'j.priority = ?', params: [priority] })),
      // A clock can jump, so creation times need not follow seq: no range of seq stands in for these two.
      ...when(filter.from, (from) => ({ sql: 'j.created_at >= ?', params: [from] })),
      ...when(filter.to, (to) => ({ sql: 'j.created_at < ?', params: [to] })),
      ...when(filter.error, (error) => ({ sql: like('j.error'), params: [contains(error)] })),
    ],
    body: [
      ...when(filter.errorKey, (key) => ({ sql: `${LAST_ERROR_KEY} = ?`, params: [key] })),
      ...when(filter.payload, ({ path, equals }) => payloadEquals(path, equals)),
      ...when(filter.search, (search) => searchAnywhere(search)),
    ],
  }
}

/** Status names go into the text, so that SQLite sees that they imply the condition of a partial index. */
export function statusIs(statuses: readonly Status[]): string {
  return `j.status in (${statuses.map((status) => `'${status}'`).join(', ')})`
}

export function joinAnd(fragments: readonly Fragment[]): Fragment {
  return {
    sql: fragments.map((fragment) => fragment.sql).join(' and '),
    params: fragments.flatMap((fragment) => fragment.params),
  }
}

function searchAnywhere(search: string): Fragment {
  const patterns = searchPatterns(search)
  return {
    sql: `(${patterns.map(([column]) => like(column)).join(' or ')})`,
    params: patterns.map(([, pattern]) => pattern),
  }
}

function like(column: string): string {
  return `${column} like ? escape '\\'`
}

function when<Value>(value: Value | undefined, make: (value: Value) => Fragment): Fragment[] {
  return value === undefined ? [] : [make(value)]
}
