/** What is known of a job besides its story; where the job says nothing, what its type says. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { api } from '../../lib/api.ts'
import { measured } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { tableOf } from '../../lib/jobs-address.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { inWords } from './format-backoff.ts'
import type { JobData } from './use-job.ts'
import { When } from './When.tsx'

export function Facts({ job }: { job: JobData }) {
  const settings = api.types.get.useQuery({ name: job.type }, { retry: false }).data?.effective
  const timeoutMs = job.timeoutMs ?? settings?.timeoutMs ?? null
  const backoff = job.backoff ?? settings?.backoff
  const maxAttempts = job.maxAttempts ?? settings?.maxAttempts
  const traceId = job.traceparent?.split('-')[1]
  const lastWorker = api.attempts.useQuery({ id: job.id }).data?.findLast(({ worker }) => worker !== null)?.worker
  const worker = job.lockedBy !== null ? <Holder name={job.lockedBy} /> : lastWorker && <LastWorker name={lastWorker} />
  return (
    <section aria-label="Facts" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <h2 className="mb-2 font-semibold">Facts</h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <Fact name="Priority">{formatNumber(job.priority)}</Fact>
        <Fact name="Attempts" own={job.maxAttempts !== null}>
          {job.attempts}
          {maxAttempts !== undefined && ` of ${maxAttempts}`}
        </Fact>
        {job.crashes > 0 && <Fact name="Crashes">{job.crashes}</Fact>}
        <Fact name="Run at">
          <When at={job.runAt} isDue />
        </Fact>
        {job.startedAt !== null && (
          <Fact name="Started">
            <When at={job.startedAt} />
          </Fact>
        )}
        {job.finishedAt !== null && (
          <Fact name="Finished">
            <When at={job.finishedAt} />
          </Fact>
        )}
        {job.leaseUntil !== null && (
          <Fact name="Lease until">
            <When at={job.leaseUntil} isDue />
          </Fact>
        )}
        {job.expiresAt !== null && (
          <Fact name="Expires">
            <When at={job.expiresAt} isDue />
          </Fact>
        )}
        <Fact name="Worker">{worker}</Fact>
        <Fact name="Timeout" own={job.timeoutMs !== null}>
          {timeoutMs !== null && measured(timeoutMs)}
        </Fact>
        <Fact name="Backoff" own={job.backoff !== null}>
          {backoff && inWords(backoff)}
        </Fact>
        <Fact name="Dedupe key">
          {job.dedupeKey !== null && `${job.dedupeKey} (until ${job.dedupeUntil ?? 'removed'})`}
        </Fact>
        {job.concurrencyKey !== null && <Fact name="Concurrency">{job.concurrencyKey}</Fact>}
        <Fact name="Trace">
          {traceId !== undefined && (
            <span className="flex items-center gap-1">
              <span className="truncate font-mono text-xs" title={job.traceparent ?? ''}>
                {traceId}
              </span>
              <CopyButton what="the trace id" text={() => traceId} />
            </span>
          )}
        </Fact>
        <Fact name="Came through">{job.face}</Fact>
        <Fact name="Claims">{formatNumber(job.version)}</Fact>
      </dl>
    </section>
  )
}

const LINK = 'underline decoration-line underline-offset-3 hover:decoration-ink'

/** Who has it, or completed it. */
function Holder({ name }: { name: string }) {
  return (
    <Link href={tableOf('worker', name)} title={`All jobs of ${name}`} className={LINK}>
      {name}
    </Link>
  )
}

/** Nobody has it: then who tried it last. No filter finds the job by that. */
function LastWorker({ name }: { name: string }) {
  return (
    <>
      <span className="text-muted">last: </span>
      <Link href={`/workers?${new URLSearchParams({ open: name })}`} className={LINK}>
        {name}
      </Link>
    </>
  )
}

/** `own` is false where the type decides. */
function Fact({ name, own = true, children }: { name: string; own?: boolean; children?: ReactNode }) {
  const isThere = children !== null && children !== undefined && children !== false && children !== ''
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className={`min-w-0 wrap-anywhere ${isThere ? '' : 'text-faint'}`}>
        {isThere ? children : 'none'}
        {isThere && !own && <span className="text-faint"> by its type</span>}
      </dd>
    </>
  )
}
