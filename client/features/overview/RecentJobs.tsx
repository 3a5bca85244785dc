/** The newest jobs: rows change in place, and newer ones wait while the pointer, the focus or a selection is in the list. */
import { useRef } from 'react'
import { useLive } from '../../live/use-live.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { NewJobsPill } from '../../ui/NewJobsPill.tsx'
import { usePinned } from '../jobs/list/use-pinned.ts'
import { JobRow, ROW, SkeletonRow } from './JobRow.tsx'
import { useRecentJobs } from './use-recent-jobs.ts'

const SKELETON = Array.from({ length: 10 }, (_, i) => i)

export function RecentJobs() {
  const { connection } = useLive()
  const area = useRef<HTMLElement>(null)
  const isHeld = usePinned(area)
  const { query, jobs, removed, waiting, isWaitingMore, showWaiting } = useRecentJobs(isHeld)

  function show() {
    showWaiting()
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    window.scrollTo({ top: 0, behavior: isCalm ? 'instant' : 'smooth' })
  }

  return (
    <section ref={area} aria-labelledby="recent-jobs" className="relative">
      <div className="mb-2 flex items-baseline justify-between gap-3 px-4 sm:px-5">
        <h2 id="recent-jobs" className="font-semibold">
          Recent jobs
        </h2>
        {query.error && connection === 'live' && (
          <p role="status" className="truncate text-muted text-xs" title={query.error.message}>
            Could not refresh, trying again
          </p>
        )}
      </div>
      {query.error && !jobs && (
        <FailedToLoad what="the recent jobs" error={query.error} onRetry={() => void query.refetch()} />
      )}
      <NewJobsPill count={waiting} isMore={isWaitingMore} onShow={show} />
      <div hidden={query.error !== null && !jobs} className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
        <div
          aria-hidden="true"
          className={`${ROW} hidden h-8 items-center border-line border-b text-muted text-xs sm:grid`}
        >
          <span>Status</span>
          <span>Type</span>
          <span>Job</span>
          <span />
          <span className="text-right">Attempts</span>
          <span className="text-right">Age</span>
        </div>
        <ul aria-labelledby="recent-jobs" aria-busy={!jobs} className="divide-y divide-line/60">
          {jobs && jobs.length > 0
            ? jobs.map((job) => <JobRow key={job.id} job={job} isRemoved={removed?.has(job.id) ?? false} />)
            : SKELETON.map((i) => <SkeletonRow key={i} />)}
        </ul>
      </div>
    </section>
  )
}
