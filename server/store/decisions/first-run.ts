/** When a new job runs first, and the status that follows from it. */
import type { Status } from '../../../shared/status.ts'
import type { NewJob } from '../ops.ts'

export function firstRunAt(job: NewJob, now: number): number {
  return job.runAt ?? now + (job.delayMs ?? 0)
}

export function firstStatus(runAt: number, now: number): Status {
  return runAt > now ? 'scheduled' : 'pending'
}
