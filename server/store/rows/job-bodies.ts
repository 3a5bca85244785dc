/** A job with its payload and result, which are in separate tables. */
import type { Job } from '../../../shared/job.ts'
import { type JobRecord, jobColumns, toSummary } from './job-columns.ts'
import type { Row } from './tables.ts'

/** Append a WHERE on `j.id` or `j.seq`. */
export const SELECT_FULL_JOB = `SELECT ${jobColumns('j')}, b.payload, r.result
  FROM millrace_jobs j LEFT JOIN millrace_job_bodies b ON b.seq = j.seq LEFT JOIN millrace_job_results r ON r.seq = j.seq`

export type FullRecord = JobRecord & Nullable<Row<'jobBodies', 'payload'> & Row<'jobResults', 'result'>>

/** Columns of the right side of a LEFT JOIN. */
type Nullable<Columns> = { readonly [Key in keyof Columns]: Columns[Key] | null }

export function toJob({ payload, result, ...row }: FullRecord): Job {
  return { ...toSummary(row), payload: parse(payload), result: parse(result) }
}

export function bodyLength(row: FullRecord): number {
  return (row.payload?.length ?? 0) + (row.result?.length ?? 0)
}

function parse(json: string | null): unknown {
  return json === null ? null : JSON.parse(json)
}
