/** A group of failures as a filter of jobs: exactly those whose last attempt ended with an error of the group. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { wordFor } from '../jobs/filter/tokenizer.ts'

export interface Grouped {
  readonly type: string
  readonly errorKey: string
}

export function groupName({ type, errorKey }: Grouped): string {
  return `${type}\n${errorKey}`
}

/** What a retry of the group is about: a job that will be tried again by itself needs none. */
export function failedOf({ type, errorKey }: Grouped): JobFilter {
  return { type, status: ['failed'], errorKey }
}

/** The table of its jobs, also of those that wait for another attempt, in the words of the filter bar. */
export function jobsPath({ type, errorKey }: Grouped): string {
  const words = [wordFor('type', type), 'status:failed,retrying', wordFor('group', errorKey)]
  return `/jobs?${new URLSearchParams({ view: 'table', q: words.join(' ') })}`
}
