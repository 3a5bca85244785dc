/** Job filters for a failure group: jobs whose last attempt ended with its error. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { formatTerm } from '../../lib/filter/tokenizer.ts'

export interface Grouped {
  readonly type: string
  readonly errorKey: string
}

export function groupKey({ type, errorKey }: Grouped): string {
  return `${type}\n${errorKey}`
}

/** Jobs that a retry of the group affects. Jobs with a scheduled retry are not among them. */
export function failedJobsOf({ type, errorKey }: Grouped): JobFilter {
  return { type, status: ['failed'], errorKey }
}

/** Link to the table of the group's jobs, including those with a scheduled retry. */
export function jobsPath({ type, errorKey }: Grouped): string {
  const terms = [formatTerm('type', type), 'status:failed,retrying', formatTerm('group', errorKey)]
  return `/jobs?${new URLSearchParams({ view: 'table', q: terms.join(' ') })}`
}
