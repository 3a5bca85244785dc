/** What can be done to a job in which state, and what it is called. */
import type { BulkAction } from '../../../../shared/contracts/operate.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import { STATUSES, type Status } from '../../../../shared/status.ts'

export type Act = BulkAction

export interface ActWords {
  /** On a button. */
  readonly name: string
  /** "3 jobs …". */
  readonly done: string
  /** While it happens to many. */
  readonly doing: string
  readonly statuses: readonly Status[]
}

export const ACTS: Readonly<Record<Act, ActWords>> = {
  retry: { name: 'Retry', done: 'retried', doing: 'Retrying', statuses: ['failed', 'retrying', 'cancelled'] },
  runNow: { name: 'Run now', done: 'made ready', doing: 'Making ready', statuses: ['scheduled', 'retrying'] },
  cancel: {
    name: 'Cancel',
    done: 'cancelled',
    doing: 'Cancelling',
    statuses: ['scheduled', 'pending', 'processing', 'retrying'],
  },
  remove: {
    name: 'Delete',
    done: 'deleted',
    doing: 'Deleting',
    statuses: STATUSES.filter((status) => status !== 'processing'),
  },
}

export const ACT_NAMES = ['retry', 'runNow', 'cancel', 'remove'] as const satisfies readonly Act[]

export function isPossible(act: Act, { status }: Pick<JobSummary, 'status'>): boolean {
  return ACTS[act].statuses.includes(status)
}

/** Why an act is not offered for what is chosen. */
export function whyNot(act: Act): string {
  const { done, statuses } = ACTS[act]
  const takes = new Intl.ListFormat('en', { type: 'disjunction' }).format(statuses)
  return `None of these jobs can be ${done}: they would have to be ${takes}.`
}

/** The status an act leads to, shown before the server has said so; null: gone. A running job is only asked to stop. */
export function expected(act: Act, { status }: Pick<JobSummary, 'status'>): Status | null {
  if (act === 'remove') return null
  if (act !== 'cancel') return 'pending'
  return status === 'processing' ? 'processing' : 'cancelled'
}
