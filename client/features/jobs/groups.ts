/** Sections of the Jobs page: their statuses, colours and empty texts. */
import type { Status, StatusCounts } from '../../../shared/status.ts'

export const GROUPS = [
  {
    name: 'pending',
    title: 'Pending',
    statuses: ['scheduled', 'blocked', 'pending'],
    emptyText: 'No jobs are waiting.',
  },
  { name: 'processing', title: 'Processing', statuses: ['processing'], emptyText: 'No jobs are running.' },
  { name: 'completed', title: 'Completed', statuses: ['completed'], emptyText: 'No jobs have completed yet.' },
  {
    name: 'failed',
    title: 'Failed',
    statuses: ['failed', 'retrying', 'cancelled'],
    emptyText: 'No jobs have failed. Failed, retrying and cancelled jobs are listed here.',
  },
] as const satisfies readonly Group[]

interface Group {
  /** Also the status that gives the section its colour. */
  readonly name: Status
  readonly title: string
  readonly statuses: readonly Status[]
  readonly emptyText: string
}

export type JobGroup = (typeof GROUPS)[number]
export type GroupName = JobGroup['name']

/** Completed jobs are numerous and need no attention, so their section starts closed. */
export const INITIALLY_OPEN: readonly GroupName[] = ['pending', 'processing', 'failed']

export function countOf({ statuses }: Group, counts: StatusCounts): number {
  return statuses.reduce((sum, status) => sum + counts[status], 0)
}

export function isGroupName(name: string): name is GroupName {
  return GROUPS.some((group) => group.name === name)
}
