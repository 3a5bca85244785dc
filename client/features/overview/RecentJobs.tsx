/** Feed of the newest jobs: rows change in place, and new jobs wait while the list is in use. */
import { useRef } from 'react'
import { useHeld } from '../../live/use-held.ts'
import { useLive } from '../../live/use-live.ts'
import { useLiveList } from '../../live/use-live-list.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { NewJobsPill } from '../../ui/job/NewJobsPill.tsx'
import { JobRow, ROW, SkeletonRow } from './JobRow.tsx'

const SIZE = 100
const READ_EVERY_MS = 500
const SKELETON = Array.from({ length: 10 }, (_, i) => i)

export function RecentJobs() {
  const { connection } = useLive()
  const area = useRef<HTMLElement>(null)
  const { query, list, showWaiting } = useLiveList({
    name: 'recent',
    filter: () => ({}),
    type: null,
    statuses: null,
    page: null,
    size: SIZE,
    isFeed: true,
    everyMs: READ_EVERY_MS,
    isHeld: useHeld(area),
  })

  function show() {
    showWaiting()
    const isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches
    window.scrollTo({ top: 0, behavior: isMotionReduced ? 'instant' : 'smooth' })
  }

  return (
    <section ref={area} aria-labelledby="recent-jobs" className="relative">
      <div className="mb-2 flex items-baseline justify-between gap-3 px-4 sm:px-5">
        <h2 id="recent-jobs" className="font-semibold">
          Recent jobs
        </h2>
        {query.error && connection === 'live' && (
          <p role="status" className="truncate text-muted text-xs" title={query.error.message}>
            Could not refresh; retrying
          </p>
        )}
      </div>
      {query.error && !list && (
        <FailedToLoad what="the recent jobs" error={query.error} onRetry={() => void query.refetch()} />
      )}
      <NewJobsPill count={list?.waiting ?? 0} isMore={list?.isWaitingMore ?? false} onShow={show} />
      <div hidden={query.error !== null && !list} className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
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
        <ul aria-labelledby="recent-jobs" aria-busy={!list} className="divide-y divide-line/60">
          {list && list.rows.length > 0
            ? list.rows.map((job) => <JobRow key={job.id} job={job} isRemoved={list.removed.has(job.id)} />)
            : SKELETON.map((i) => <SkeletonRow key={i} />)}
        </ul>
      </div>
    </section>
  )
}
