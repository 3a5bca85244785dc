/** The fencing check: a call about an attempt counts only while its claim is the current one. */
import { notFound, staleClaim } from '../../../shared/errors.ts'
import type { JobSummary } from '../../../shared/job.ts'
import type { Lease } from '../ops.ts'

type Fenced = Pick<JobSummary, 'status' | 'version'>

/** The version is the fencing token: each claim of a job gets the next one. */
export function isCurrent(job: Fenced, version: number): boolean {
  return job.status === 'processing' && job.version === version
}

/** The job that `lease` was given for, unless the lease is lost. */
export function requireCurrent<Job extends Fenced>(job: Job | undefined, { id, version }: Lease): Job {
  if (!job) throw notFound(id)
  if (!isCurrent(job, version)) throw staleClaim(id, version)
  return job
}
