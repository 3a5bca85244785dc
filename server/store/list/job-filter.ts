/** What a job filter means in every dialect; each of them says it in its own SQL. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { STATUSES, type Status } from '../../../shared/status.ts'

const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/

/**
 * null: every status. Empty: nothing can match. A worker's jobs are those it holds; those it completed only when that is
 * asked for, since no index knows them. A last attempt that still runs, or that completed its job, has no error.
 */
export function statusesOf(filter: JobFilter): readonly Status[] | null {
  const asked = filter.status
  const statuses = STATUSES.filter(
    (status) =>
      (asked?.includes(status) ?? true) &&
      (filter.worker === undefined || status === 'processing' || (asked !== undefined && status === 'completed')) &&
      (filter.errorKey === undefined || (status !== 'processing' && status !== 'completed')),
  )
  return statuses.length === STATUSES.length ? null : statuses
}

/** The error key of a job's last attempt that is over, alias `j`: found by the primary key. */
export const LAST_ERROR_KEY =
  '(select a.error_key from millrace_job_attempts a where a.seq = j.seq order by a.version desc limit 1)'

/** Of the pending jobs those that were tried before, or those that were not; jobs of other statuses are not concerned. */
export function pendingIs(which: NonNullable<JobFilter['pending']>): string {
  return `(j.status <> 'pending' or j.attempts ${which === 'retried' ? '>' : '='} 0)`
}

/** The pattern of LIKE, with a backslash as its escape. */
export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Columns and the patterns to look for in them. Payloads are JSON text, where a quote or a line break is escaped. */
export function searchPatterns(search: string): readonly (readonly [column: string, pattern: string])[] {
  const escaped = JSON.stringify(search).slice(1, -1)
  const columns = ['j.id', 'j.type', 'j.dedupe_key', 'j.error', 'b.payload']
  const plain = columns.map((column) => [column, contains(search)] as const)
  return escaped === search ? plain : [...plain, ['b.payload', contains(escaped)]]
}

/**
 * A place in a payload as JSON paths. `items.0` is the first item of an array, or the key "0" of an object; a document can
 * only have one of them.
 */
export function readingsOf(path: string): readonly string[] {
  const parts = path.split('.')
  return parts.reduce<readonly string[]>(
    (heads, part) => heads.flatMap((head) => stepsOf(part).map((step) => `${head}${step}`)),
    ['$'],
  )
}

function stepsOf(part: string): readonly string[] {
  const key = `.${JSON.stringify(part)}`
  return ARRAY_INDEX.test(part) ? [key, `[${part}]`] : [key]
}
