/** Why the job is not running, or how it ended, in one sentence. */
import { Link } from 'wouter'
import { Bone } from '../../ui/Skeleton.tsx'
import { useExplanation } from './use-explanation.ts'
import type { JobData } from './use-job.ts'
import { localTime } from './When.tsx'

const QUESTION: Readonly<Record<JobData['status'], string>> = {
  scheduled: 'Why is it not running?',
  pending: 'Why is it not running?',
  retrying: 'Why is it not running?',
  processing: 'What is it doing?',
  completed: 'How did it end?',
  failed: 'How did it end?',
  cancelled: 'How did it end?',
}

type Reason = NonNullable<ReturnType<typeof useExplanation>['data']>['reason']

/** What can be done about it is done there. */
const OF_TYPE: ReadonlySet<Reason> = new Set(['type_paused', 'at_max_concurrency', 'rate_limited'])
const OF_WORKERS: ReadonlySet<Reason> = new Set(['no_worker', 'workers_busy'])

export function Explain({ job }: { job: JobData }) {
  const { data: told, error } = useExplanation(job)
  // What was true of another status is not shown as if it were of this one.
  const data = told?.status === job.status ? told : undefined
  return (
    <div data-tone={job.status} className="mt-4 rounded-lg bg-tone/8 px-4 py-2.5 ring-1 ring-tone/20 ring-inset">
      <p className="text-muted text-xs">{QUESTION[job.status]}</p>
      {data ? (
        <p data-testid="explain" data-reason={data.reason} className="line-clamp-6 wrap-anywhere">
          {data.text}
          {data.at !== null && <> That is {localTime(data.at)}.</>}
          {OF_TYPE.has(data.reason) && (
            <>
              {' '}
              <Link href={`/types?${new URLSearchParams({ q: data.type })}`} className="underline underline-offset-2">
                See type {data.type}
              </Link>
            </>
          )}
          {OF_WORKERS.has(data.reason) && (
            <>
              {' '}
              <Link href="/workers" className="underline underline-offset-2">
                See the workers
              </Link>
            </>
          )}
        </p>
      ) : error ? (
        <p className="text-muted">{error.message}</p>
      ) : (
        <Bone className="my-0.5 h-4 w-72 max-w-full" />
      )}
    </div>
  )
}
