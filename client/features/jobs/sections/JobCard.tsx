/** Job card of a section, of fixed height so that a change moves no other card. */
import { memo } from 'react'
import { Link } from 'wouter'
import { JobId } from '../../../ui/job/JobId.tsx'
import { StatusPill } from '../../../ui/job/StatusPill.tsx'
import { Progress } from '../../../ui/Progress.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { CardActions, type CardActionsProps } from './CardActions.tsx'
import { CardDetails } from './CardDetails.tsx'

export interface JobCardProps extends CardActionsProps {
  readonly isRemoved: boolean
  /** The job now belongs to another section; the card keeps its place until the list is released. */
  readonly isElsewhere: boolean
  /** Cards of this section reserve a line for the error. */
  readonly hasErrors: boolean
}

const CARD = 'grid grid-cols-[minmax(0,1fr)_auto] content-center items-center gap-x-3 gap-y-1 px-4 sm:px-5'
const height = (hasErrors: boolean) => (hasErrors ? 'h-24 sm:h-21' : 'h-18 sm:h-15')

export const JobCard = memo(function JobCard(props: JobCardProps) {
  const { job, isRemoved, isElsewhere, hasErrors } = props
  const { id, type, status, progress, error } = job
  return (
    <li
      data-job-id={id}
      data-job-status={isRemoved ? 'removed' : status}
      className={`${CARD} ${height(hasErrors)} motion-safe:animate-appear focus-within:bg-raised/50 hover:bg-raised/50 ${isRemoved || isElsewhere ? 'text-muted' : ''}`}
    >
      <div className="flex min-w-0 items-center gap-2 sm:gap-3">
        <Link
          href={`/jobs/${id}`}
          data-row-link
          title={type}
          className={`min-w-0 truncate rounded bg-raised px-1.5 py-0.5 font-medium text-xs/4 hover:bg-line ${isRemoved ? 'line-through' : ''}`}
        >
          {type}
        </Link>
        {isRemoved ? <span className="text-xs">removed</span> : <StatusPill status={status} />}
        {progress !== null && status === 'processing' && (
          <span className="hidden sm:inline">
            <Progress percent={progress} />
          </span>
        )}
        <span className="hidden sm:inline">
          <JobId id={id} />
        </span>
      </div>
      <div className="flex justify-end gap-1">{!isRemoved && <CardActions {...props} />}</div>
      <CardDetails job={job} withError={!hasErrors} />
      {hasErrors && (
        <p
          data-tone="failed"
          title={error ?? undefined}
          className="col-span-2 h-5 truncate font-mono text-tone-ink text-xs/5"
        >
          {error}
        </p>
      )}
    </li>
  )
})

export function SkeletonCard({ hasErrors }: { hasErrors: boolean }) {
  return (
    <li aria-hidden="true" className={`${CARD} ${height(hasErrors)}`}>
      <Skeleton className="col-span-2 h-5 w-56 max-w-full" />
      <Skeleton className="col-span-2 h-4 w-80 max-w-full" />
    </li>
  )
}
