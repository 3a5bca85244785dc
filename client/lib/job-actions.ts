/** Job actions: the statuses they apply to and their labels. */
import type { BulkAction } from '../../shared/contracts/operate.ts'
import type { JobSummary } from '../../shared/job.ts'
import type { BulkRow } from '../../shared/records.ts'
import { STATUSES, type Status } from '../../shared/status.ts'

export type Action = BulkAction

export interface ActionTexts {
  /** Button label. */
  readonly name: string
  /** "3 jobs …". */
  readonly done: string
  /** While a bulk operation runs. */
  readonly doing: string
  readonly statuses: readonly Status[]
}

export const ACTIONS: Readonly<Record<Action, ActionTexts>> = {
  retry: { name: 'Retry', done: 'retried', doing: 'Retrying', statuses: ['failed', 'retrying', 'cancelled'] },
  runNow: { name: 'Run now', done: 'made ready', doing: 'Making ready', statuses: ['scheduled', 'retrying'] },
  cancel: {
    name: 'Cancel',
    done: 'cancelled',
    doing: 'Cancelling',
    statuses: ['scheduled', 'blocked', 'pending', 'processing', 'retrying'],
  },
  remove: {
    name: 'Delete',
    done: 'deleted',
    doing: 'Deleting',
    statuses: STATUSES.filter((status) => status !== 'processing'),
  },
}

/** Texts of bulk operations: the job actions, and the backfill of a schedule. */
export const BULK_TEXTS: Readonly<
  Record<BulkRow['action'], Pick<ActionTexts, 'done' | 'doing'> & { readonly undone: string }>
> = {
  retry: { ...ACTIONS.retry, undone: 'restored' },
  runNow: { ...ACTIONS.runNow, undone: 'restored' },
  cancel: { ...ACTIONS.cancel, undone: 'restored' },
  remove: { ...ACTIONS.remove, undone: 'restored' },
  backfill: { done: 'enqueued', doing: 'Enqueuing ticks', undone: 'deleted' },
}

export const ACTION_NAMES = ['retry', 'runNow', 'cancel', 'remove'] as const satisfies readonly Action[]

export function canApply(action: Action, { status }: Pick<JobSummary, 'status'>): boolean {
  return ACTIONS[action].statuses.includes(status)
}

export function unavailableReason(action: Action): string {
  const { done, statuses } = ACTIONS[action]
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(statuses)
  return `None of these jobs can be ${done}. Only ${list} jobs can.`
}

/** The status shown before the server responds; null: deleted. A running job only receives a cancel request. */
export function expectedStatus(action: Action, { status }: Pick<JobSummary, 'status'>): Status | null {
  if (action === 'remove') return null
  if (action !== 'cancel') return 'pending'
  return status === 'processing' ? 'processing' : 'cancelled'
}
