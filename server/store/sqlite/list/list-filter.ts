/** Job filter as SQL conditions, split by what each of them reads. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { isTerminal, type Status } from '../../../../shared/status.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import {
  contains,
  LAST_ERROR_KEY,
  pendingIs,
  type SplitFilter,
  searchPatterns,
  statusesOf,
} from '../../list/job-filter.ts'
import { payloadEquals } from './payload-path.ts'

export type SqlValue = string | number | null

/** Part of an SQL statement, with the values of its placeholders. */
export interface Fragment {
  readonly sql: string
  readonly params: readonly SqlValue[]
}

export interface SqlFilter extends SplitFilter<Fragment> {
  /** The key whose unfinished jobs are the only ones that match; null: others may match too. */
  readonly unfinishedOf: JobGroup | null
}

export function splitFilter(filter: JobFilter): SqlFilter {
  return {
    statuses: statusesOf(filter),
    type: filter.type ?? null,
    unfinishedOf: unfinishedOf(filter),
    ids: filter.ids?.length ?? null,
    row: [
      // As JSON: the number of placeholders of a statement is limited.
      ...when(filter.ids, (ids) => ({
        sql: 'j.id IN (SELECT value FROM json_each(?))',
        params: [JSON.stringify(ids)],
      })),
      ...when(filter.idEnd, (end) => ({ sql: 'substr(j.id, ?) = ?', params: [-end.length, end] })),
      ...when(filter.pending, (which) => ({ sql: pendingIs(which), params: [] })),
      ...when(filter.worker, (worker) => ({ sql: 'j.locked_by = ?', params: [worker] })),
      ...when(filter.priority, (priority) => ({ sql: 'j.priority = ?', params: [priority] })),
      ...when(filter.group, (name) => ({ sql: 'j.group_name = ?', params: [name] })),
      ...when(filter.groupKey, (key) => ({ sql: 'j.group_key = ?', params: [key] })),
      // A clock can jump, so creation times may not follow seq: a range of seq cannot replace these two.
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

function unfinishedOf({ group, groupKey, status }: JobFilter): JobGroup | null {
  if (group === undefined || groupKey === undefined || status === undefined || status.some(isTerminal)) return null
  return { name: group, key: groupKey }
}

/** Status names are part of the SQL text, so that SQLite can match them to the condition of a partial index. */
export function statusIs(statuses: readonly Status[]): string {
  return `j.status IN (${statuses.map((status) => `'${status}'`).join(', ')})`
}

export function joinAnd(fragments: readonly Fragment[]): Fragment {
  return {
    sql: fragments.map((fragment) => fragment.sql).join(' AND '),
    params: fragments.flatMap((fragment) => fragment.params),
  }
}

function searchAnywhere(search: string): Fragment {
  const patterns = searchPatterns(search)
  return {
    sql: `(${patterns.map(([column]) => like(column)).join(' OR ')})`,
    params: patterns.map(([, pattern]) => pattern),
  }
}

function like(column: string): string {
  return `${column} LIKE ? ESCAPE '\\'`
}

function when<Value>(value: Value | undefined, make: (value: Value) => Fragment): Fragment[] {
  return value === undefined ? [] : [make(value)]
}
