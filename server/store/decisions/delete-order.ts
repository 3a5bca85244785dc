/** Tables that hold the data of a job, in the order in which its rows are deleted. */

/** Children first: foreign keys are enforced, and nothing cascades. */
export const DELETE_ORDER = [
  'millrace_job_logs',
  'millrace_job_attempts',
  'millrace_job_results',
  'millrace_job_bodies',
  'millrace_jobs',
] as const
