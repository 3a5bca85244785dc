/** Job record of the simple queue, with the columns of one plain table. */
import type { Job } from '../../../shared/job.ts'
import { type LessonStatus, lessonStatus } from '../../../shared/vocabulary.ts'

/** A job as these functions return it. */
export interface JobRecord {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The payload, as JSON text. */
  readonly payload: string
  /** The status of the job. */
  readonly status: LessonStatus
  /** Jobs with a higher number are claimed first. */
  readonly priority: number
  /** How many attempts have failed. */
  readonly attempts: number
  /** The maximum number of attempts. */
  readonly max_attempts: number
  /** The error of the last failed attempt. */
  readonly last_error: string | null
  /** Earliest start, in ISO 8601 (UTC) like the other times. */
  readonly scheduled_at: string
  /** When it was enqueued. */
  readonly created_at: string
  /** When it last changed. */
  readonly updated_at: string
  /** When it completed. */
  readonly completed_at: string | null
  /** The worker that holds it. */
  readonly locked_by: string | null
  /** When that worker claimed it. */
  readonly locked_at: string | null
}

/** `maxAttempts`: the setting of the type. `lastError`: the error of the last failed attempt. */
export function toRecord(job: Job, maxAttempts: number, lastError: string | null): JobRecord {
  const isHeld = job.status === 'processing'
  const isCompleted = job.status === 'completed'
  return {
    id: job.id,
    type: job.type,
    payload: JSON.stringify(job.payload),
    status: lessonStatus[job.status],
    priority: job.priority,
    // The queue counts an attempt when it starts; this record counts it when it has failed.
    attempts: isHeld || isCompleted ? job.attempts - 1 : job.attempts,
    max_attempts: job.maxAttempts ?? maxAttempts,
    last_error: job.error ?? lastError,
    scheduled_at: iso(job.runAt),
    created_at: iso(job.createdAt),
    updated_at: iso(job.updatedAt),
    completed_at: isCompleted ? isoOrNull(job.finishedAt) : null,
    locked_by: isHeld ? job.lockedBy : null,
    locked_at: isHeld ? isoOrNull(job.startedAt) : null,
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : iso(instant)
}
