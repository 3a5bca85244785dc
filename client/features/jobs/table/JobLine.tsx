/** Table row of a job: one line, two on phones, of fixed height. */
import { memo, useRef } from 'react'
import { Link } from 'wouter'
import type { JobSummary } from '../../../../shared/job.ts'
import { Age } from '../../../ui/Age.tsx'
import { Attempts } from '../../../ui/job/Attempts.tsx'
import { JobDetail } from '../../../ui/job/JobDetail.tsx'
import { JobId } from '../../../ui/job/JobId.tsx'
import { StatusPill } from '../../../ui/job/StatusPill.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'

export const COLUMNS =
  'grid gap-x-3 px-4 sm:grid-cols-[1rem_6.5rem_minmax(0,12rem)_5.5rem_minmax(0,1fr)_3.5rem_4rem_3rem] sm:gap-x-4 sm:px-5'

const LINE = `${COLUMNS} h-15 grid-cols-[1rem_minmax(0,1fr)_auto_2.25rem] content-center items-center gap-y-1 sm:h-8.5`

export interface JobLineProps {
  readonly job: JobSummary
  readonly isRemoved: boolean
  /** The job no longer matches; the row keeps its place until the list is released. */
  readonly isMismatched: boolean
  readonly isSelected: boolean
  readonly onSelect: (id: string, isRange: boolean) => void
}

export const JobLine = memo(function JobLine({ job, isRemoved, isMismatched, isSelected, onSelect }: JobLineProps) {
  const { id, type, status, attempts, maxAttempts, createdAt, priority } = job
  const isRange = useRef(false)
  return (
    <li
      data-job-id={id}
      data-job-status={isRemoved ? 'removed' : status}
      data-selected={isSelected}
      className={`${LINE} focus-within:bg-raised/60 hover:bg-raised/60 data-[selected=true]:bg-focus/8 ${isRemoved || isMismatched ? 'text-muted' : ''}`}
    >
      <input
        type="checkbox"
        checked={isSelected}
        aria-label={`Select ${type} ${id.slice(-8)}`}
        onPointerDown={({ shiftKey }) => {
          isRange.current = shiftKey
        }}
        onChange={() => {
          onSelect(id, isRange.current)
          isRange.current = false
        }}
        className="row-span-2 size-4 accent-focus max-sm:-m-1 max-sm:size-6 sm:row-span-1 pointer-coarse:-m-1 pointer-coarse:size-6"
      />
      <span className="order-2 col-span-2 justify-self-end sm:order-none sm:col-span-1 sm:justify-self-start">
        {isRemoved ? <span className="text-muted text-xs">removed</span> : <StatusPill status={status} />}
      </span>
      <Link
        href={`/jobs/${id}`}
        data-row-link
        title={type}
        className={`order-1 min-w-6 truncate rounded font-medium leading-6 hover:underline sm:order-none ${isRemoved ? 'line-through' : ''}`}
      >
        {type}
      </Link>
      <span className="order-4 hidden sm:order-none sm:block">
        <JobId id={id} />
      </span>
      <span className="order-4 min-w-0 text-muted sm:order-none">
        <JobDetail job={job} />
      </span>
      <span className="hidden text-right text-muted sm:block">
        {priority !== 0 && (
          <>
            <span className="sr-only">priority </span>
            {priority}
          </>
        )}
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

export function SkeletonLine() {
  return (
    <li aria-hidden="true" className={LINE}>
      <Skeleton className="size-4" />
      <Skeleton className="h-4 w-20" />
      <Skeleton className="hidden h-4 w-28 sm:block" />
    </li>
  )
}
