/** The parts of a job filter that do not depend on the SQL dialect. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { STATUSES, type Status } from '../../../shared/status.ts'

/** A job filter, split by what its conditions read. `Condition` is a dialect's form of SQL. */
export interface SplitFilter<Condition> {
  /** null: every status. Empty: nothing can match. */
  readonly statuses: readonly Status[] | null
  readonly type: string | null
  /** The number of ids in the filter, which are also a condition in `row`. null: any id. */
  readonly ids: number | null
  /** Conditions on other columns of the job, alias `j`. */
  readonly row: readonly Condition[]
  /** Conditions that read other tables: attempts, or the payload, alias `b`, which may be a mebibyte each. */
  readonly body: readonly Condition[]
}

const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/

/**
 * null: every status. Empty: nothing can match. A worker's jobs are those it holds; those it completed only if the filter lists
 * that status, because no index covers them. A last attempt that still runs, or that completed its job, has no error.
 */
export function statusesOf(filter: JobFilter): readonly Status[] | null {
  const listed = filter.status
  const statuses = STATUSES.filter(
    (status) =>
      (listed?.includes(status) ?? true) &&
      (filter.worker === undefined || status === 'processing' || (listed !== undefined && status === 'completed')) &&
      (filter.errorKey === undefined || (status !== 'processing' && status !== 'completed')),
  )
  return statuses.length === STATUSES.length ? null : statuses
}

/** The error key of a job's last finished attempt, alias `j`, found by the primary key. */
export const LAST_ERROR_KEY =
  '(SELECT a.error_key FROM millrace_job_attempts a WHERE a.seq = j.seq ORDER BY a.version DESC LIMIT 1)'

/** Pending jobs with earlier attempts, or without. Jobs of other statuses always match. */
export function pendingIs(which: NonNullable<JobFilter['pending']>): string {
  return `(j.status <> 'pending' OR j.attempts ${which === 'retried' ? '>' : '='} 0)`
}

/** A LIKE pattern with a backslash as escape character. */
export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Columns and the patterns to search in them. Payloads are JSON text, where a quote or a line break is escaped. */
export function searchPatterns(search: string): readonly (readonly [column: string, pattern: string])[] {
  const escaped = JSON.stringify(search).slice(1, -1)
  const columns = ['j.id', 'j.type', 'j.dedupe_key', 'j.error', 'b.payload']
  const plain = columns.map((column) => [column, contains(search)] as const)
  return escaped === search ? plain : [...plain, ['b.payload', contains(escaped)]]
}

/** A payload path as JSON paths. `items.0` is the first item of an array or the key "0" of an object. At most one can exist. */
export function jsonPathsOf(payloadPath: string): readonly string[] {
  const parts = payloadPath.split('.')
  return parts.reduce<readonly string[]>(
    (paths, part) => paths.flatMap((path) => stepsOf(part).map((step) => `${path}${step}`)),
    ['$'],
  )
}

function stepsOf(part: string): readonly string[] {
  const key = `.${JSON.stringify(part)}`
  return ARRAY_INDEX.test(part) ? [key, `[${part}]`] : [key]
}
