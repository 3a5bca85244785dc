/** Details of a job; options the job does not set come from its type. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { api } from '../../lib/api.ts'
import { measured } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { groupAddress } from '../../lib/groups-address.ts'
import { tableAddress } from '../../lib/jobs-address.ts'
import { scheduleAddress } from '../../lib/schedules-address.ts'
import { Age, localTime } from '../../ui/Age.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { formatBackoff, formatSource } from './format.ts'
import type { JobData } from './use-job.ts'

export function Details({ job }: { job: JobData }) {
  const settings = api.types.get.useQuery({ name: job.type }, { retry: false }).data?.effective
  const timeoutMs = job.timeoutMs ?? settings?.timeoutMs ?? null
  const backoff = job.backoff ?? settings?.backoff
  const maxAttempts = job.maxAttempts ?? settings?.maxAttempts
  const traceId = job.traceparent?.split('-')[1]
  const lastWorker = api.attempts.useQuery({ id: job.id }).data?.findLast(({ worker }) => worker !== null)?.worker
  const worker =
    job.lockedBy !== null ? <CurrentWorker name={job.lockedBy} /> : lastWorker && <LastWorker name={lastWorker} />
  return (
    <section aria-label="Details" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <h2 className="mb-2 font-semibold">Details</h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <Row name="Priority">{formatNumber(job.priority)}</Row>
        <Row name="Attempts" isOwn={job.maxAttempts !== null}>
          {job.attempts}
          {maxAttempts !== undefined && ` of ${maxAttempts}`}
        </Row>
        {job.crashes > 0 && <Row name="Crashes">{job.crashes}</Row>}
        <Row name="Run at">
          <Age at={job.runAt} isDue />
        </Row>
        {job.startedAt !== null && (
          <Row name="Started">
            <Age at={job.startedAt} />
          </Row>
        )}
        {job.finishedAt !== null && (
          <Row name="Finished">
            <Age at={job.finishedAt} />
          </Row>
        )}
        {job.leaseUntil !== null && (
          <Row name="Lease expires">
            <Age at={job.leaseUntil} isDue />
          </Row>
        )}
        {job.expiresAt !== null && (
          <Row name="Expires">
            <Age at={job.expiresAt} isDue />
          </Row>
        )}
        <Row name="Worker">{worker}</Row>
        <Row name="Timeout" isOwn={job.timeoutMs !== null}>
          {timeoutMs !== null && measured(timeoutMs)}
        </Row>
        <Row name="Backoff" isOwn={job.backoff !== null}>
          {backoff && formatBackoff(backoff)}
        </Row>
        <Row name="Dedupe key">
          {job.dedupeKey !== null && `${job.dedupeKey} (until the job is ${job.dedupeUntil ?? 'removed'})`}
        </Row>
        {job.groupName !== null && job.groupKey !== null && (
          <Row name="Group">
            <Link href={groupAddress(job.groupName)} className={LINK}>
              {job.groupName}
            </Link>
            <span className="text-faint"> / </span>
            <Link href={groupAddress(job.groupName, job.groupKey)} className={LINK}>
              {job.groupKey}
            </Link>
          </Row>
        )}
        {job.tick !== null && (
          <Row name="Schedule">
            <Link href={scheduleAddress(job.tick.schedule)} className={LINK}>
              {job.tick.schedule}
            </Link>
            <span className="block text-muted text-xs">
              {job.tick.backfill ? 'backfill of ' : 'tick of '}
              {localTime(job.tick.at)}
              {job.tick.missed > 0 && `, ${formatNumber(job.tick.missed)} missed before it`}
            </span>
          </Row>
        )}
        <Row name="Trace ID">
          {traceId !== undefined && (
            <span className="flex items-center gap-1">
              <span className="truncate font-mono text-xs" title={job.traceparent ?? ''}>
                {traceId}
              </span>
              <CopyButton what="the trace ID" text={() => traceId} />
            </span>
          )}
        </Row>
        <Row name="Source">{formatSource(job.face)}</Row>
        <Row name="Claims">{formatNumber(job.version)}</Row>
      </dl>
    </section>
  )
}

const LINK = 'underline decoration-line underline-offset-3 hover:decoration-ink'

/** Worker that runs the job, or completed it. */
function CurrentWorker({ name }: { name: string }) {
  return (
    <Link href={tableAddress('worker', name)} title={`All jobs of ${name}`} className={LINK}>
      {name}
    </Link>
  )
}

/** Worker of the last attempt. Links to the worker: the job filter does not find jobs by former workers. */
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

/** `isOwn`: false when the value comes from the type's settings. */
function Row({ name, isOwn = true, children }: { name: string; isOwn?: boolean; children?: ReactNode }) {
  const hasValue = children !== null && children !== undefined && children !== false && children !== ''
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className={`min-w-0 wrap-anywhere ${hasValue ? '' : 'text-faint'}`}>
        {hasValue ? children : 'none'}
        {hasValue && !isOwn && <span className="text-faint"> (from type settings)</span>}
      </dd>
    </>
  )
}
