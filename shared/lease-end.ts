/** End of a lease: after its length, or soon after the deadline of the attempt. */
import type { JobSummary } from './job.ts'
import type { EffectiveSettings } from './settings/settings.ts'

/** Time after the deadline of an attempt in which a live worker reports the timeout. */
export const TIMEOUT_GRACE_MS = 2_000

/** A lease ends at the latest with the deadline of the attempt plus the time to report it. */
export function leaseEnd(now: number, leaseMs: number, startedAt: number, timeoutMs: number | null): number {
  const end = now + leaseMs
  return timeoutMs === null ? end : Math.min(end, startedAt + timeoutMs + TIMEOUT_GRACE_MS)
}

export function deadlineMs(job: Pick<JobSummary, 'timeoutMs'>, settings: EffectiveSettings): number | null {
  return job.timeoutMs ?? settings.timeoutMs
}
