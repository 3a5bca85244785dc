/** The jobs of an open section, a page at a time: they change in place, and newer ones wait while the reader is busy. */
import { useCallback, useRef, useState } from 'react'
import type { JobSummary } from '../../../../shared/job.ts'
import type { StatusCounts } from '../../../../shared/status.ts'
import { Confirm } from '../../../ui/Confirm.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { NewJobsPill } from '../../../ui/NewJobsPill.tsx'
import { countOf, type JobGroup } from '../groups.ts'
import type { Act } from '../list/actions.ts'
import { belongs } from '../list/live-list.ts'
import { useAct } from '../list/use-action.ts'
import { useLiveList } from '../list/use-live-list.ts'
import { usePinned } from '../list/use-pinned.ts'
import type { JobsUrl } from '../use-jobs-url.ts'
import { JobCard, SkeletonCard } from './JobCard.tsx'
import { NothingHere } from './NothingHere.tsx'
import { PageLinks } from './PageLinks.tsx'
import { LAST_PAGE, PAGE_SIZE } from './pages.ts'

const READ_EVERY_MS = 1_000

export interface SectionJobsProps {
  readonly group: JobGroup
  readonly counts: StatusCounts | undefined
  readonly url: JobsUrl
}

export function SectionJobs({ group, counts, url }: SectionJobsProps) {
  const count = counts && countOf(group, counts)
  const area = useRef<HTMLDivElement>(null)
  const [doomed, setDoomed] = useState<JobSummary | null>(null)
  const scope = { type: null, statuses: group.statuses }
  const live = useLiveList({
    ...scope,
    name: group.name,
    filter: () => ({ status: [...group.statuses] }),
    page: Math.min(LAST_PAGE, url.pageOf(group.name)),
    size: PAGE_SIZE,
    everyMs: READ_EVERY_MS,
    isHeld: usePinned(area) || doomed !== null,
  })
  const { query, list } = live
  const acting = useAct(live)
  const run = useRef(acting)
  run.current = acting
  // Cards are drawn again only when their job changes.
  const act = useCallback((name: Act, job: JobSummary) => void run.current(name, job), [])
  const hasErrors = group.name === 'failed'
  const bones = Math.min(PAGE_SIZE, count ?? PAGE_SIZE)

  return (
    <div ref={area}>
      {query.error && !list ? (
        <FailedToLoad what={`the ${group.name} jobs`} error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          {list && <NewJobsPill count={list.waiting} isMore={list.isWaitingMore} onShow={live.showWaiting} />}
          {list?.rows.length === 0 ? (
            <NothingHere group={group} counts={counts} url={url} />
          ) : (
            <ul
              aria-label={group.title}
              aria-busy={!live.isLoaded}
              className={`divide-y divide-line/60 ${query.isPlaceholderData ? 'text-muted' : ''}`}
            >
              {list
                ? list.rows.map((job) => (
                    <JobCard
                      key={job.id}
                      job={job}
                      isRemoved={list.removed.has(job.id)}
                      isElsewhere={!belongs(scope, job)}
                      hasErrors={hasErrors}
                      onAct={act}
                      onDelete={setDoomed}
                    />
                  ))
                : Array.from({ length: bones }, (_, place) => place).map((place) => (
                    <SkeletonCard key={place} hasErrors={hasErrors} />
                  ))}
            </ul>
          )}
          <PageLinks group={group} count={count ?? 0} url={url} />
        </>
      )}
      <Confirm
        title={`Delete this ${doomed?.type ?? ''} job?`}
        description="The job, its payload, result, attempts and logs go for good."
        act="Delete"
        isOpen={doomed !== null}
        onConfirm={() => doomed && act('remove', doomed)}
        onClose={() => setDoomed(null)}
      />
    </div>
  )
}
