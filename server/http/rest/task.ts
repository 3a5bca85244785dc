/** Maps a job to a task: the task API's field names, statuses and Unix seconds. */
import type { Job } from '../../../shared/job.ts'
import { SECOND } from '../../../shared/limits.ts'
import { STATUSES, type StatusCounts } from '../../../shared/status.ts'
import { type TaskStatus, taskStatus } from '../../../shared/vocabulary.ts'

/** A job as the task API returns it; timestamps are Unix seconds. */
export interface Task {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The input of the handler. */
  readonly payload: unknown
  /** The status of the task. */
  readonly status: TaskStatus
  /** Number of attempts so far. */
  readonly attempts: number
  /** Start of the last attempt; null before the first. */
  readonly last_attempt_at: number | null
  /** Return value of the handler; null before it completes. */
  readonly result: unknown
  /** The error of the last attempt that failed. */
  readonly error: string | null
  /** Earliest start of the next attempt; null unless the task is scheduled or waits for a retry. */
  readonly run_after: number | null
  /** When it was enqueued. */
  readonly created_at: number
  /** When it last changed. */
  readonly updated_at: number
  /** When it completed. */
  readonly completed_at: number | null
}

/** Filters of `GET /tasks`. */
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

type JobForTask = Omit<Job, 'payload' | 'result'> & { readonly payload?: unknown; readonly result?: unknown }

/** A failed task stays `failed` until it is claimed again, even after its retry is due and the job is pending. */
function statusOf({ status, attempts }: JobForTask): TaskStatus {
  return status === 'pending' && attempts > 0 ? 'failed' : taskStatus[status]
}

export function toTask(job: JobForTask): Task {
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
    // Rounded up, so that the task does not run before this second.
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
