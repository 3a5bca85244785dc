/** One-sentence explanation of why the job is waiting, or how it ended. */
import { Link } from 'wouter'
import { groupAddress } from '../../lib/groups-address.ts'
import { localTime } from '../../ui/Age.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useExplanation } from './use-explanation.ts'
import type { JobData } from './use-job.ts'

const TITLES: Readonly<Record<JobData['status'], string>> = {
  scheduled: 'Why is this job not running?',
  blocked: 'Why is this job not running?',
  pending: 'Why is this job not running?',
  retrying: 'Why is this job not running?',
  processing: 'Current state',
  completed: 'Outcome',
  failed: 'Outcome',
  cancelled: 'Outcome',
}

type Reason = NonNullable<ReturnType<typeof useExplanation>['data']>['reason']

/** Reasons that are resolved on the page of the type, or on the workers page. */
const OF_TYPE: ReadonlySet<Reason> = new Set(['type_paused', 'at_max_concurrency', 'rate_limited'])
const OF_WORKERS: ReadonlySet<Reason> = new Set(['no_worker', 'workers_busy'])

export function Explain({ job }: { job: JobData }) {
  const { data: explanation, error } = useExplanation(job)
  // Ignore an explanation of an earlier status.
  const data = explanation?.status === job.status ? explanation : undefined
  return (
    <div data-tone={job.status} className="mt-4 rounded-lg bg-tone/8 px-4 py-2.5 ring-1 ring-tone/20 ring-inset">
      <p className="text-muted text-xs">{TITLES[job.status]}</p>
      {data ? (
        <p data-testid="explain" data-reason={data.reason} className="line-clamp-6 wrap-anywhere">
          {data.text}
          {data.at !== null && <> ({localTime(data.at)})</>}
          {OF_TYPE.has(data.reason) && (
            <>
              {' '}
              <Link href={`/types?${new URLSearchParams({ q: data.type })}`} className="underline underline-offset-2">
                View type {data.type}
              </Link>
            </>
          )}
          {data.reason === 'blocked' && job.groupName !== null && job.groupKey !== null && (
            <>
              {' '}
              <Link href={groupAddress(job.groupName, job.groupKey)} className="underline underline-offset-2">
                View key {job.groupKey}
              </Link>
            </>
          )}
          {OF_WORKERS.has(data.reason) && (
            <>
              {' '}
              <Link href="/workers" className="underline underline-offset-2">
                View workers
              </Link>
            </>
          )}
        </p>
      ) : error ? (
        <p className="text-muted">{error.message}</p>
      ) : (
        <Skeleton className="my-0.5 h-4 w-72 max-w-full" />
      )}
    </div>
  )
}
