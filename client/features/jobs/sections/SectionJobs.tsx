/** Jobs of an open section, one page at a time, as a live list. */
import { useCallback, useRef, useState } from 'react'
import type { JobSummary } from '../../../../shared/job.ts'
import type { StatusCounts } from '../../../../shared/status.ts'
import type { Action } from '../../../lib/job-actions.ts'
import { matchesScope } from '../../../live/live-list.ts'
import { useHeld } from '../../../live/use-held.ts'
import { useLiveList } from '../../../live/use-live-list.ts'
import { Confirm } from '../../../ui/Confirm.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { NewJobsPill } from '../../../ui/job/NewJobsPill.tsx'
import { countOf, type JobGroup } from '../groups.ts'
import { useAction } from '../list/use-action.ts'
import type { JobsUrl } from '../use-jobs-url.ts'
import { EmptySection } from './EmptySection.tsx'
import { JobCard, SkeletonCard } from './JobCard.tsx'
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
  const [toDelete, setToDelete] = useState<JobSummary | null>(null)
  const scope = { type: null, statuses: group.statuses }
  const live = useLiveList({
    ...scope,
    name: group.name,
    filter: () => ({ status: [...group.statuses] }),
    page: Math.min(LAST_PAGE, url.pageOf(group.name)),
    size: PAGE_SIZE,
    everyMs: READ_EVERY_MS,
    isHeld: useHeld(area) || toDelete !== null,
  })
  const { query, list } = live
  const runAction = useAction(live)
  const latest = useRef(runAction)
  latest.current = runAction
  // A stable callback: memoised cards render only when their job changes.
  const run = useCallback((action: Action, job: JobSummary) => void latest.current(action, job), [])
  const hasErrors = group.name === 'failed'
  const skeletons = Math.min(PAGE_SIZE, count ?? PAGE_SIZE)

  return (
    <div ref={area}>
      {query.error && !list ? (
        <FailedToLoad what={`the ${group.name} jobs`} error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          {list && <NewJobsPill count={list.waiting} isMore={list.isWaitingMore} onShow={live.showWaiting} />}
          {list?.rows.length === 0 ? (
            <EmptySection group={group} counts={counts} url={url} />
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
                      isElsewhere={!matchesScope(scope, job)}
                      hasErrors={hasErrors}
                      onAction={run}
                      onDelete={setToDelete}
                    />
                  ))
                : Array.from({ length: skeletons }, (_, place) => place).map((place) => (
                    <SkeletonCard key={place} hasErrors={hasErrors} />
                  ))}
            </ul>
          )}
          <PageLinks group={group} count={count ?? 0} url={url} />
        </>
      )}
      <Confirm
        title={`Delete this ${toDelete?.type ?? ''} job?`}
        description="The job, its payload, result, attempts and logs are deleted permanently."
        action="Delete"
        isOpen={toDelete !== null}
        onConfirm={() => toDelete && run('remove', toDelete)}
        onClose={() => setToDelete(null)}
      />
    </div>
  )
}
