/** A job as the task face shows it: its field names, its statuses, Unix seconds. */
import type { Job } from '../../../shared/job.ts'
import { SECOND } from '../../../shared/limits.ts'
import { STATUSES, type StatusCounts } from '../../../shared/status.ts'
import { type TaskStatus, taskStatus } from '../../../shared/vocabulary.ts'

/** A job as the task API returns it; instants are Unix seconds. */
export interface Task {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** What the handler gets. */
  readonly payload: unknown
  /** What state the job is in. */
  readonly status: TaskStatus
  /** How many attempts were counted so far. */
  readonly attempts: number
  /** When the last attempt began; null before the first. */
  readonly last_attempt_at: number | null
  /** What the handler returned; null before it completes. */
  readonly result: unknown
  /** The error of the last attempt that failed. */
  readonly error: string | null
  /** When it may run; null unless it waits for its time or for its next attempt. */
  readonly run_after: number | null
  /** When it was enqueued. */
  readonly created_at: number
  /** When it last changed. */
  readonly updated_at: number
  /** When it completed. */
  readonly completed_at: number | null
}

/** Which tasks `GET /tasks` lists. */
export interface ListFilters {
  /** Default: every type. */
  readonly type?: string
  /** One status or several. Default: every status. */
  readonly status?: TaskStatus | readonly TaskStatus[]
  /** 1 to 200. Default: 50. */
  readonly limit?: number
  /** 0 to 10,000. Default: 0. */
  readonly offset?: number
}

type Shown = Omit<Job, 'payload' | 'result'> & { readonly payload?: unknown; readonly result?: unknown }

/** A failed task stays failed until it is claimed again, also when its time has come and it is pending. */
function statusOf({ status, attempts }: Shown): TaskStatus {
  return status === 'pending' && attempts > 0 ? 'failed' : taskStatus[status]
}

export function toTask(job: Shown): Task {
  const status = statusOf(job)
  const isWaiting = job.status === 'scheduled' || (status === 'failed' && job.finishedAt === null)
  return {
    id: job.id,
    type: job.type,
    payload: job.payload ?? null,
    status,
    attempts: job.attempts,
    last_attempt_at: seconds(job.startedAt),
    result: job.result ?? null,
    error: job.error,
    // Rounded up: not before that second.
    run_after: isWaiting ? Math.ceil(job.runAt / SECOND) : null,
    created_at: Math.floor(job.createdAt / SECOND),
    updated_at: Math.floor(job.updatedAt / SECOND),
    completed_at: seconds(job.finishedAt),
  }
}

function seconds(at: number | null): number | null {
  return at === null ? null : Math.floor(at / SECOND)
}

export type TaskCounts = Record<TaskStatus, number>

export function toTaskCounts(counts: StatusCounts): TaskCounts {
  const tasks: TaskCounts = { 'to-do': 0, 'in-progress': 0, success: 0, failed: 0 }
  for (const status of STATUSES) tasks[taskStatus[status]] += counts[status]
  return tasks
}
