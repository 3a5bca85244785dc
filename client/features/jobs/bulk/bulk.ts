/** What a bulk operation says of itself. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { STATUSES, type Status } from '../../../../shared/status.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { ACTS, type Act } from '../list/actions.ts'
import type { Client } from '../list/read-jobs.ts'

export type Bulk = Awaited<ReturnType<Client['bulk']['status']['query']>>

/**
 * Only jobs that the act can change: of a million completed ones none can be retried. null: there can be none. A filter by
 * worker means the jobs it holds unless it says otherwise, and must not come to mean more by being narrowed. Jobs that were
 * chosen one by one are all visited, so that the result tells of those that could not be changed.
 */
export function narrowed(action: Act, filter: JobFilter): JobFilter | null {
  if (filter.ids !== undefined) return filter
  const meant: readonly Status[] = filter.status ?? (filter.worker === undefined ? STATUSES : ['processing'])
  const status = ACTS[action].statuses.filter((one) => meant.includes(one))
  return status.length === 0 ? null : { ...filter, status }
}

/** There is still something to do. */
export function isOpen({ state }: Bulk): boolean {
  return state === 'waiting' || state === 'running' || state === 'undoing'
}

/** It has changed something that can be put back; a deletion is only taken back before it begins. */
export function canUndo({ action, state, changed }: Bulk): boolean {
  return action !== 'remove' && state !== 'undone' && changed > 0
}

/** What came of it, in one line. */
export function said({ action, state, changed, skipped, undone }: Bulk): string {
  const { done } = ACTS[action]
  if (state === 'undone') {
    if (changed === 0) return `Taken back: no job was ${done}`
    const lost = changed - undone
    const rest = lost > 0 ? `; ${formatNumber(lost)} had moved on meanwhile` : ''
    return `Taken back: ${jobs(undone)} ${undone === 1 ? 'is' : 'are'} as before${rest}`
  }
  const left = skipped > 0 ? `, ${formatNumber(skipped)} left as they were` : ''
  const [stopped, no] = state === 'cancelled' ? ['Stopped: ', 'no'] : ['', 'No']
  return `${stopped}${changed === 0 ? `${no} job was` : jobs(changed)} ${done}${left}`
}

export function jobs(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'job' : 'jobs'}`
}
