/** One job: what it is doing and why, its story, its log, and what went in and came out. */
import { useParams } from 'wouter'
import { usePageName } from '../../app/tab/page-name.ts'
import { httpStatusOf } from '../../lib/api.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { Bone } from '../../ui/Skeleton.tsx'
import { Body } from './Body.tsx'
import { Facts } from './Details.tsx'
import { Explain } from './Explain.tsx'
import { Gone } from './Gone.tsx'
import { JobHeader } from './JobHeader.tsx'
import { LogPanel } from './LogPanel.tsx'
import { ProgressBar } from './ProgressBar.tsx'
import { Section } from './Section.tsx'
import { Story } from './Timeline.tsx'
import { useJob } from './use-job.ts'

export function JobPage() {
  const { id = '' } = useParams()
  return <OneJob key={id} id={id} />
}

function OneJob({ id }: { id: string }) {
  const { data: job, error, refetch } = useJob(id)
  const status = httpStatusOf(error)
  usePageName(job ? `${job.type} ${job.status}` : null)
  // What is no id at all is refused as such.
  if (status === 404 || status === 400) return <Gone id={id} type={job?.type} />
  if (error && !job) return <FailedToLoad isPage what="the job" error={error} onRetry={() => void refetch()} />
  if (!job) return <Skeleton />
  const isOver = job.status !== 'processing'
  return (
    <article>
      <JobHeader job={job} />
      <Explain job={job} />
      {job.progress !== null && <ProgressBar percent={job.progress} isOver={isOver} />}
      <div className="mt-4 grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <Story job={job} />
        <div className="lg:col-start-2 lg:row-span-4 lg:row-start-1">
          <Facts job={job} />
        </div>
        <LogPanel job={job} />
        <Section name="Payload">
          <Body value={job.payload} root="payload" title="Payload" />
        </Section>
        {job.status === 'completed' && (
          <Section name="Result">
            {job.result === null || job.result === undefined ? (
              <>
                <h2 className="mb-2 font-semibold">Result</h2>
                <p className="text-muted">The handler gave none.</p>
              </>
            ) : (
              <Body value={job.result} root="result" title="Result" />
            )}
          </Section>
        )}
      </div>
    </article>
  )
}

function Skeleton() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <Bone className="h-7 w-56" />
      <Bone className="h-14 w-full" />
      <Bone className="h-48 w-full" />
      <Bone className="h-32 w-full" />
    </div>
  )
}
