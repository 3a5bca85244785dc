/** The states a job can be in: the finest partition, from which every other vocabulary is derived. */

export const STATUSES = ['scheduled', 'pending', 'processing', 'retrying', 'completed', 'failed', 'cancelled'] as const

/** The states a job can be in. */
export type Status = (typeof STATUSES)[number]

export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled'] as const satisfies readonly Status[]
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number]

export const WAITING_STATUSES = ['scheduled', 'pending', 'retrying'] as const satisfies readonly Status[]

export function isTerminal(status: Status): status is TerminalStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

export function isStatus(value: string): value is Status {
  return (STATUSES as readonly string[]).includes(value)
}

/** What a job type holds; a claim that names no types is offered kind `job` only. */
export const KINDS = ['job', 'message', 'command'] as const
/** What a job type may hold. */
export type JobKind = (typeof KINDS)[number]
/** `system`: jobs of the queue's own making, which no caller can enqueue. */
export type Kind = JobKind | 'system'

/** Counts for every status, all present. */
export type StatusCounts = Record<Status, number>

export function emptyCounts(): StatusCounts {
  return { scheduled: 0, pending: 0, processing: 0, retrying: 0, completed: 0, failed: 0, cancelled: 0 }
}
