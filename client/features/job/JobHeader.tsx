/** Job header: type, status, id and actions. */
import { Link } from 'wouter'
import { lastJobsAddress, tableAddress } from '../../lib/jobs-address.ts'
import { Age } from '../../ui/Age.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { StatusPill } from '../../ui/job/StatusPill.tsx'
import { useCopied } from '../../ui/use-copied.ts'
import { Actions } from './Actions.tsx'
import type { JobData } from './use-job.ts'

export function JobHeader({ job }: { job: JobData }) {
  const isStopping = job.status === 'processing' && job.cancelRequestedAt !== null
  return (
    <header className="px-4 sm:px-5">
      <p className="mb-1 text-muted">
        <Link href={lastJobsAddress()} className="-ml-0.5 inline-flex h-6 items-center gap-1 rounded hover:text-ink">
          <Icon name="left" />
          Jobs
        </Link>
      </p>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 font-semibold text-xl tracking-tight wrap-anywhere">
              <Link
                href={tableAddress('type', job.type)}
                title={`All ${job.type} jobs`}
                className="rounded decoration-2 underline-offset-4 hover:underline"
              >
                {job.type}
              </Link>
            </h1>
            <span role="status" data-testid="job-status" data-status={job.status} className="flex gap-2">
              <StatusPill status={job.status} />
              {isStopping && (
                <span data-tone="pending" className="rounded-full bg-tone/14 px-2 font-medium text-tone-ink text-xs/5">
                  cancelling
                </span>
              )}
            </span>
          </div>
          <p className="mt-1 flex flex-wrap gap-x-3 text-muted">
            <JobIdentity id={job.id} />
            <span>
              enqueued <Age at={job.createdAt} />
            </span>
          </p>
        </div>
        <Actions job={job} />
      </div>
    </header>
  )
}

function JobIdentity({ id }: { id: string }) {
  const { feedback, copy } = useCopied()
  return (
    <button
      type="button"
      onClick={() => void copy(id)}
      title="Click to copy"
      aria-label={`Copy job ID ${id}`}
      className="-mx-1 rounded px-1 text-left font-mono text-xs/5 transition-colors wrap-anywhere hover:bg-raised hover:text-ink"
    >
      {id} <span aria-live="polite">{feedback && `· ${feedback}`}</span>
    </button>
  )
}
