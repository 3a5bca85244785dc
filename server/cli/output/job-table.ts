/** Table of jobs. */
import { queuectlState } from '../../../shared/vocabulary.ts'
import { shortId } from '../input/find-job.ts'
import { type AttemptsOf, type ListedJob, summarize, timing } from './job-record.ts'
import { statusBrush } from './paint.ts'
import { type Column, type TableOptions, table } from './table.ts'
import { age, localIso } from './times.ts'

export function jobTable(
  jobs: readonly ListedJob[],
  attempts: AttemptsOf,
  now: number,
  options: TableOptions,
): string[] {
  const { paint } = options
  const columns: Column<ListedJob>[] = [
    { title: 'ID', cell: (job) => shortId(job.id) },
    {
      title: 'STATE',
      cell: (job) => queuectlState[job.status],
      brush: (job) => statusBrush(paint, job.status),
    },
    { title: 'TYPE', cell: (job) => job.type },
    { title: 'RUNS', cell: (job) => `${job.attempts}/${attempts(job)}`, isNumber: true },
    { title: 'WHEN', cell: (job) => timing(job, now), isOptional: true },
    {
      title: 'CREATED',
      cell: (job) => `${localIso(job.createdAt)} (${age(job.createdAt, now)})`,
      brush: () => paint.dim,
      isOptional: true,
    },
    { title: 'WHAT', cell: summarize },
  ]
  return table(columns, jobs, options)
}
