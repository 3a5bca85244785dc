/** One job in the table: a line on a screen, two on a phone, always of the same height. */
import { memo, useRef } from 'react'
import { Link } from 'wouter'
import type { JobSummary } from '../../../../shared/job.ts'
import { Age } from '../../../ui/Age.tsx'
import { Attempts } from '../../../ui/Attempts.tsx'
import { JobDetail } from '../../../ui/JobDetail.tsx'
import { JobId } from '../../../ui/JobId.tsx'
import { Bone } from '../../../ui/Skeleton.tsx'
import { StatusPill } from '../../../ui/StatusPill.tsx'

export const COLUMNS =
  'grid gap-x-3 px-4 sm:grid-cols-[1rem_6.5rem_minmax(0,12rem)_5.5rem_minmax(0,1fr)_3.5rem_4rem_3rem] sm:gap-x-4 sm:px-5'

const LINE = `${COLUMNS} h-15 grid-cols-[1rem_minmax(0,1fr)_auto_2.25rem] content-center items-center gap-y-1 sm:h-8.5`

export interface JobLineProps {
  readonly job: JobSummary
  readonly isRemoved: boolean
  /** It does not match any more, and keeps its place for now. */
  readonly isElsewhere: boolean
  readonly isChosen: boolean
  readonly onChoose: (id: string, isRange: boolean) => void
}

export const JobLine = memo(function JobLine({ job, isRemoved, isElsewhere, isChosen, onChoose }: JobLineProps) {
  const { id, type, status, attempts, maxAttempts, createdAt, priority } = job
  const isRange = useRef(false)
  return (
    <li
      data-job-id={id}
      data-job-status={isRemoved ? 'removed' : status}
      data-chosen={isChosen}
      className={`${LINE} focus-within:bg-raised/60 hover:bg-raised/60 data-[chosen=true]:bg-focus/8 ${isRemoved || isElsewhere ? 'text-muted' : ''}`}
    >
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={`Select ${type} ${id.slice(-8)}`}
        onPointerDown={({ shiftKey }) => {
          isRange.current = shiftKey
        }}
        onChange={() => {
          onChoose(id, isRange.current)
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
        <Age at={createdAt} />
      </span>
    </li>
  )
})

export function SkeletonLine() {
  return (
    <li aria-hidden="true" className={LINE}>
      <Bone className="size-4" />
      <Bone className="h-4 w-20" />
      <Bone className="hidden h-4 w-28 sm:block" />
    </li>
  )
}
