/** Row of the recent jobs, of fixed height so that a change moves no other row. */
import { memo } from 'react'
import { Link } from 'wouter'
import type { JobSummary } from '../../../shared/job.ts'
import { Age } from '../../ui/Age.tsx'
import { Attempts } from '../../ui/job/Attempts.tsx'
import { JobDetail } from '../../ui/job/JobDetail.tsx'
import { JobId } from '../../ui/job/JobId.tsx'
import { StatusPill } from '../../ui/job/StatusPill.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

/** Columns; two lines on phones. */
export const ROW =
  'grid gap-x-3 px-4 sm:grid-cols-[7rem_minmax(0,13rem)_5.5rem_minmax(0,1fr)_4rem_3rem] sm:gap-x-4 sm:px-5'

const LINES = `${ROW} h-15 grid-cols-[auto_minmax(0,1fr)_auto_2.25rem] content-center items-center gap-y-1 sm:h-9.5`

export const JobRow = memo(function JobRow({ job, isRemoved }: { job: JobSummary; isRemoved: boolean }) {
  const { id, type, status, attempts, maxAttempts, createdAt } = job
  return (
    <li
      data-job-id={id}
      data-job-status={isRemoved ? 'removed' : status}
      className={`${LINES} motion-safe:animate-appear hover:bg-raised/50 ${isRemoved ? 'text-muted line-through' : ''}`}
    >
      <span className="order-2 col-span-2 justify-self-end sm:order-none sm:col-span-1 sm:justify-self-start">
        {isRemoved ? <span className="text-muted text-xs">removed</span> : <StatusPill status={status} />}
      </span>
      <span className="order-1 col-span-2 truncate font-medium sm:order-none sm:col-span-1" title={type}>
        <Link href={`/jobs/${id}`} className="hover:underline">
          {type}
        </Link>
      </span>
      <span className="order-3 sm:order-none">
        <JobId id={id} />
      </span>
      <span className="order-4 min-w-0 text-muted sm:order-none">
        <JobDetail job={job} />
      </span>
      <span className="order-5 text-right text-muted sm:order-none">
        <Attempts attempts={attempts} maxAttempts={maxAttempts} />
      </span>
      <span className="order-6 text-right text-muted sm:order-none">
        <Age isShort at={createdAt} />
      </span>
    </li>
  )
})

export function SkeletonRow() {
  return (
    <li aria-hidden="true" className={LINES}>
      <Skeleton className="h-4 w-20" />
      <Skeleton className="h-4 w-28" />
    </li>
  )
}
