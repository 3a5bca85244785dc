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
  const hasGroups = jobs.some(({ groupName }) => groupName !== null)
  const columns: Column<ListedJob>[] = [
    { title: 'ID', cell: (job) => shortId(job.id) },
    {
      title: 'STATE',
      cell: (job) => queuectlState[job.status],
      brush: (job) => statusBrush(paint, job.status),
    },
    { title: 'TYPE', cell: (job) => job.type },
    ...(hasGroups ? [{ title: 'GROUP', cell: groupOf, isOptional: true }] : []),
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

/** The key alone, unless the group has another name than the type. */
function groupOf({ type, groupName, groupKey }: ListedJob): string {
  return groupName === type ? (groupKey ?? '') : [groupName, groupKey].filter((part) => part !== null).join(' / ')
}
