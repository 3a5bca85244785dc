/** Turns a job filter into SQL conditions, split by what each of them has to read. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { STATUSES, type Status } from '../../../shared/status.ts'
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
  /** Conditions on other columns of the job, alias `j`. */
  readonly row: readonly Fragment[]
  /** Conditions that read the payload, alias `b`, which may be a mebibyte each. */
  readonly body: readonly Fragment[]
}

export function splitFilter(filter: JobFilter): SplitFilter {
  return {
    statuses: statusesOf(filter),
    type: filter.type ?? null,
    row: [
      ...when(filter.worker, (worker) => ({ sql: 'j.locked_by = ?', params: [worker] })),
      ...when(filter.priority, (priority) => ({ sql: 'j.priority = ?', params: [priority] })),
      // A clock can jump, so creation times need not follow seq: no range of seq stands in for these two.
      ...when(filter.from, (from) => ({ sql: 'j.created_at >= ?', params: [from] })),
      ...when(filter.to, (to) => ({ sql: 'j.created_at < ?', params: [to] })),
      ...when(filter.error, (error) => ({ sql: like('j.error'), params: [contains(error)] })),
    ],
    body: [
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

/** A worker's jobs are those it holds; those it completed only when that is asked for, since no index knows them. */
function statusesOf(filter: JobFilter): readonly Status[] | null {
  const asked = filter.status
  const statuses = STATUSES.filter(
    (status) =>
      (asked?.includes(status) ?? true) &&
      (filter.worker === undefined || status === 'processing' || (asked !== undefined && status === 'completed')),
  )
  return statuses.length === STATUSES.length ? null : statuses
}

/** Payloads are kept as JSON text, where a quote or a line break is escaped: look for both spellings. */
function searchAnywhere(search: string): Fragment {
  const escaped = JSON.stringify(search).slice(1, -1)
  const columns = ['j.id', 'j.type', 'j.dedupe_key', 'j.error', 'b.payload']
  const patterns = columns.map(() => contains(search))
  if (escaped !== search) {
    columns.push('b.payload')
    patterns.push(contains(escaped))
  }
  return { sql: `(${columns.map(like).join(' or ')})`, params: patterns }
}

function like(column: string): string {
  return `${column} like ? escape '\\'`
}

function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

function when<Value>(value: Value | undefined, make: (value: Value) => Fragment): Fragment[] {
  return value === undefined ? [] : [make(value)]
}
