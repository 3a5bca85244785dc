/** List of all schedules, or their ticks in the next 24 hours. */
import { useRef } from 'react'
import { Link } from 'wouter'
import { useHeld } from '../../../live/use-held.ts'
import { useHasScope } from '../../../session/use-session.ts'
import { Button } from '../../../ui/Button.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { PageHead } from '../../../ui/PageHead.tsx'
import { useRowKeys } from '../../../ui/use-row-keys.ts'
import { useSettled } from '../../../ui/use-settled.ts'
import { DayView } from '../day/DayView.tsx'
import { PauseDialog } from '../PauseDialog.tsx'
import { useSchedulesUrl } from '../use-schedules-url.ts'
import { ListTools } from './ListTools.tsx'
import { NoSchedules } from './NoSchedules.tsx'
import { COLUMNS, ScheduleRow, SkeletonSchedule } from './ScheduleRow.tsx'
import { useSchedules } from './use-schedules.ts'

export function SchedulesPage() {
  const { search, state, isDay, pausing, set } = useSchedulesUrl()
  const area = useRef<HTMLDivElement>(null)
  const isHeld = useHeld(area)
  const { query, rows, gone } = useSchedules({ search: useSettled(search), state, isHeld })
  useRowKeys(area)
  const canCreate = useHasScope('admin')
  if (query.error && !rows) {
    return <FailedToLoad isPage what="the schedules" error={query.error} onRetry={() => void query.refetch()} />
  }
  const isEmpty = rows?.length === 0 && search === '' && state === null
  return (
    <>
      <PageHead title="Schedules" hint="Jobs that are enqueued by the clock: cron expressions and intervals.">
        {canCreate && (
          <Link
            href="/schedules?new=1"
            className="inline-flex h-8 items-center rounded-md bg-ink px-3 font-medium text-canvas hover:opacity-85"
          >
            New schedule
          </Link>
        )}
      </PageHead>
      {isEmpty ? (
        <NoSchedules />
      ) : (
        <>
          <ListTools />
          <div ref={area} className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
            {isDay ? (
              <DayView rows={rows} isPartial={query.hasNextPage} />
            ) : (
              <>
                <div
                  aria-hidden="true"
                  className={`${COLUMNS} hidden h-8 border-line border-b text-muted text-xs md:grid`}
                >
                  <span>Schedule and rule</span>
                  <span className="max-lg:hidden">Type</span>
                  <span>Next run</span>
                  <span className="max-lg:hidden">Last job</span>
                  <span />
                </div>
                <ul aria-label="Schedules" aria-busy={!rows} className="divide-y divide-line/60">
                  {rows?.map((row) => <ScheduleRow key={row.name} row={row} isGone={gone.has(row.name)} />) ??
                    [1, 2, 3, 4].map((n) => <SkeletonSchedule key={n} />)}
                </ul>
              </>
            )}
            {rows?.length === 0 && (
              <p className="p-5 text-muted">
                {search === '' ? `No schedule is ${state}.` : `No schedule or type contains “${search}”.`}
              </p>
            )}
            {query.hasNextPage && (
              <p className="border-line border-t px-4 py-3 sm:px-5">
                <Button isSmall disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {query.isFetchingNextPage ? 'Loading…' : 'Show more'}
                </Button>
              </p>
            )}
          </div>
        </>
      )}
      {query.error && (
        <p role="status" className="mt-3 px-4 text-muted sm:px-5">
          Could not refresh: {query.error.message}
        </p>
      )}
      {pausing !== null && <PauseDialog key={pausing} name={pausing} onClose={() => set('pause', null)} />}
    </>
  )
}
