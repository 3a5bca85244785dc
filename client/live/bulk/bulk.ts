/** Bulk operations: their type, the jobs they visit and the text of their result. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { STATUSES, type Status } from '../../../shared/status.ts'
import type { Client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { ACTIONS, type Action, BULK_TEXTS } from '../../lib/job-actions.ts'

export type Bulk = Awaited<ReturnType<Client['bulk']['status']['query']>>

/**
 * Limits a filter to the statuses that the action applies to; null: no status is left. A filter by worker without statuses means
 * running jobs, and narrowing must not widen it. Jobs selected by id are all visited, so that the result counts the skipped ones.
 */
export function narrowFilter(action: Action, filter: JobFilter): JobFilter | null {
  if (filter.ids !== undefined) return filter
  const meant: readonly Status[] = filter.status ?? (filter.worker === undefined ? STATUSES : ['processing'])
  const status = ACTIONS[action].statuses.filter((one) => meant.includes(one))
  return status.length === 0 ? null : { ...filter, status }
}

export function isActive({ state }: Bulk): boolean {
  return state === 'waiting' || state === 'running' || state === 'undoing'
}

/** A deletion can be undone only before it starts. */
export function canUndo({ action, state, changed }: Bulk): boolean {
  return action !== 'remove' && state !== 'undone' && changed > 0
}

/** The result in one line. */
export function formatResult({ action, state, changed, skipped, undone }: Bulk): string {
  const { done, undone: reverted } = BULK_TEXTS[action]
  if (state === 'undone') {
    if (changed === 0) return `Undone: no job was ${done}`
    const lost = changed - undone
    const rest = lost > 0 ? `; ${formatNumber(lost)} had already changed again` : ''
    return `Undone: ${formatJobs(undone)} ${reverted}${rest}`
  }
  const left = skipped > 0 ? `, ${formatNumber(skipped)} unchanged` : ''
  const [stopped, no] = state === 'cancelled' ? ['Stopped: ', 'no'] : ['', 'No']
  return `${stopped}${changed === 0 ? `${no} job was` : formatJobs(changed)} ${done}${left}`
}

export function formatJobs(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'job' : 'jobs'}`
}
