/** A job together with its payload and result, which live in tables of their own. */
import type { Job } from '../../../shared/job.ts'
import { type JobRecord, jobColumns, toSummary } from './job-columns.ts'

/** Add a condition on `j.id` or `j.seq`. */
export const SELECT_FULL_JOB = `select ${jobColumns('j')}, b.payload, r.result
  from millrace_jobs j left join millrace_job_bodies b on b.seq = j.seq left join millrace_job_results r on r.seq = j.seq`

export type FullRecord = JobRecord & { readonly payload: string | null; readonly result: string | null }

export function toJob({ payload, result, ...row }: FullRecord): Job {
  return { ...toSummary(row), payload: parse(payload), result: parse(result) }
}

export function bodyLength(row: FullRecord): number {
  return (row.payload?.length ?? 0) + (row.result?.length ?? 0)
}

function parse(json: string | null): unknown {
  return json === null ? null : JSON.parse(json)
}
