/** Which job this is and in what state, with what can be done to it. */
import { Link } from 'wouter'
import { lastJobsAddress, tableOf } from '../../lib/jobs-address.ts'
import { Sign } from '../../ui/Icon.tsx'
import { StatusPill } from '../../ui/StatusPill.tsx'
import { useCopied } from '../../ui/use-copied.ts'
import { Actions } from './Actions.tsx'
import type { JobData } from './use-job.ts'
import { When } from './When.tsx'

export function JobHeader({ job }: { job: JobData }) {
  const isStopping = job.status === 'processing' && job.cancelRequestedAt !== null
  return (
    <header className="px-4 sm:px-5">
      <p className="mb-1 text-muted">
        <Link href={lastJobsAddress()} className="-ml-0.5 inline-flex h-6 items-center gap-1 rounded hover:text-ink">
          <Sign of="left" />
          Jobs
        </Link>
      </p>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 font-semibold text-xl tracking-tight wrap-anywhere">
              <Link
                href={tableOf('type', job.type)}
                title={`All jobs of the type ${job.type}`}
                className="rounded decoration-2 underline-offset-4 hover:underline"
              >
                {job.type}
              </Link>
            </h1>
            <span role="status" data-testid="job-status" data-status={job.status} className="flex gap-2">
              <StatusPill status={job.status} />
              {isStopping && (
                <span data-tone="pending" className="rounded-full bg-tone/14 px-2 font-medium text-tone-ink text-xs/5">
                  asked to stop
                </span>
              )}
            </span>
          </div>
          <p className="mt-1 flex flex-wrap gap-x-3 text-muted">
            <JobIdentity id={job.id} />
            <span>
              enqueued <When at={job.createdAt} />
            </span>
          </p>
        </div>
        <Actions job={job} />
      </div>
    </header>
  )
}

function JobIdentity({ id }: { id: string }) {
  const { said, copy } = useCopied()
  return (
    <button
      type="button"
      onClick={() => void copy(id)}
      title="Click to copy"
      aria-label={`Copy job id ${id}`}
      className="-mx-1 rounded px-1 text-left font-mono text-xs/5 transition-colors wrap-anywhere hover:bg-raised hover:text-ink"
    >
      {id} <span aria-live="polite">{said && `· ${said}`}</span>
    </button>
  )
}
