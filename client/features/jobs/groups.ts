/** The four sections of the accordion: which statuses each has, and its colour. */
import type { Status, StatusCounts } from '../../../shared/status.ts'

export const GROUPS = [
  { name: 'pending', title: 'Pending', statuses: ['scheduled', 'pending'], nothing: 'Nothing waits.' },
  { name: 'processing', title: 'Processing', statuses: ['processing'], nothing: 'Nothing runs at the moment.' },
  { name: 'completed', title: 'Completed', statuses: ['completed'], nothing: 'Nothing has been completed yet.' },
  {
    name: 'failed',
    title: 'Failed',
    statuses: ['failed', 'retrying', 'cancelled'],
    nothing: 'Nothing has failed. Jobs that fail, wait for another attempt or are cancelled stand here.',
  },
] as const satisfies readonly Group[]

interface Group {
  /** Also the status whose colour it has. */
  readonly name: Status
  readonly title: string
  readonly statuses: readonly Status[]
  /** What an empty one says. */
  readonly nothing: string
}

export type JobGroup = (typeof GROUPS)[number]
export type GroupName = JobGroup['name']

/** Completed ones are many, and nobody waits for them. */
export const OPEN_AT_FIRST: readonly GroupName[] = ['pending', 'processing', 'failed']

export function countOf({ statuses }: Group, counts: StatusCounts): number {
  return statuses.reduce((sum, status) => sum + counts[status], 0)
}

export function isGroupName(name: string): name is GroupName {
  return GROUPS.some((group) => group.name === name)
}
