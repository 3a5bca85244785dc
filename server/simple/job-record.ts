/** A job as the four functions show it: the columns of one plain table. */
import type { Job } from '../../shared/job.ts'
import { type LessonStatus, lessonStatus } from '../../shared/vocabulary.ts'

export interface JobRecord {
  readonly id: string
  readonly type: string
  /** JSON. */
  readonly payload: string
  readonly status: LessonStatus
  readonly priority: number
  /** Those that failed. */
  readonly attempts: number
  readonly max_attempts: number
  readonly last_error: string | null
  /** This and the other instants: ISO 8601, UTC. */
  readonly scheduled_at: string
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  readonly locked_by: string | null
  readonly locked_at: string | null
}

/** `maxAttempts` is what holds for its type. */
export function toRecord(job: Job, maxAttempts: number): JobRecord {
  const isHeld = job.status === 'processing'
  const isCompleted = job.status === 'completed'
  return {
    id: job.id,
    type: job.type,
    payload: JSON.stringify(job.payload),
    status: lessonStatus[job.status],
    priority: job.priority,
    // An attempt counts from the moment it begins; here it counts when it has failed.
    attempts: isHeld || isCompleted ? job.attempts - 1 : job.attempts,
    max_attempts: job.maxAttempts ?? maxAttempts,
    last_error: job.error,
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
