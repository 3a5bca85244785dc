/** Job statuses and kinds. Other APIs derive their names from these statuses. */

export const STATUSES = [
  ...(['scheduled', 'blocked', 'pending', 'processing', 'retrying', 'completed', 'failed', 'cancelled'] as const),
] as const

/** The status of a job. */
export type Status = (typeof STATUSES)[number]

export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled'] as const satisfies readonly Status[]
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number]

export const WAITING_STATUSES = ['scheduled', 'blocked', 'pending', 'retrying'] as const satisfies readonly Status[]

export function isTerminal(status: Status): status is TerminalStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

export function isStatus(value: string): value is Status {
  return (STATUSES as readonly string[]).includes(value)
}

/** Kinds of job types. A claim without types gets only kind `job`. */
export const KINDS = ['job', 'message', 'command'] as const
/** The kind of a job type. */
export type JobKind = (typeof KINDS)[number]
/** `system`: internal jobs of the queue, which clients cannot enqueue. */
export type Kind = JobKind | 'system'

/** Job counts for every status. */
export type StatusCounts = Record<Status, number>

export function emptyCounts(): StatusCounts {
  return { scheduled: 0, blocked: 0, pending: 0, processing: 0, retrying: 0, completed: 0, failed: 0, cancelled: 0 }
}
