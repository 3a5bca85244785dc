/** Job page: status, explanation, timeline, log, payload and result. */
import { useParams } from 'wouter'
import { httpStatusOf } from '../../lib/api.ts'
import { usePageName } from '../../lib/browser/page-name.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { RedactedJson } from '../../ui/json/RedactedJson.tsx'
import { WideProgress } from '../../ui/Progress.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Details } from './Details.tsx'
import { Explain } from './Explain.tsx'
import { JobHeader } from './JobHeader.tsx'
import { JobNotFound } from './JobNotFound.tsx'
import { LogPanel } from './log/LogPanel.tsx'
import { Section } from './Section.tsx'
import { Timeline } from './timeline/Timeline.tsx'
import { useJob } from './use-job.ts'

export function JobPage() {
  const { id = '' } = useParams()
  return <OneJob key={id} id={id} />
}

function OneJob({ id }: { id: string }) {
  const { data: job, error, refetch } = useJob(id)
  const status = httpStatusOf(error)
  usePageName(job ? `${job.type} ${job.status}` : null)
  // A malformed id is answered with 400.
  if (status === 404 || status === 400) return <JobNotFound id={id} type={job?.type} />
  if (error && !job) return <FailedToLoad isPage what="the job" error={error} onRetry={() => void refetch()} />
  if (!job) return <LoadingJob />
  const isOver = job.status !== 'processing'
  return (
    <article>
      <JobHeader job={job} />
      <Explain job={job} />
      {job.progress !== null && <WideProgress percent={job.progress} isOver={isOver} />}
      <div className="mt-4 grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <Timeline job={job} />
        <div className="lg:col-start-2 lg:row-span-4 lg:row-start-1">
          <Details job={job} />
        </div>
        <LogPanel job={job} />
        <Section name="Payload">
          <RedactedJson value={job.payload} root="payload" title="Payload" />
        </Section>
        {job.status === 'completed' && (
          <Section name="Result">
            {job.result === null || job.result === undefined ? (
              <>
                <h2 className="mb-2 font-semibold">Result</h2>
                <p className="text-muted">The handler returned no result.</p>
              </>
            ) : (
              <RedactedJson value={job.result} root="result" title="Result" />
            )}
          </Section>
        )}
      </div>
    </article>
  )
}

function LoadingJob() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <Skeleton className="h-7 w-56" />
      <Skeleton className="h-14 w-full" />
      <Skeleton className="h-48 w-full" />
      <Skeleton className="h-32 w-full" />
    </div>
  )
}
