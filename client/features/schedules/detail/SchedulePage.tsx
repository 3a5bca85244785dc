/** Page of one schedule: why and when it runs, next and last ticks, settings and payload. */
import { Link } from 'wouter'
import { httpStatusOf } from '../../../lib/api.ts'
import { usePageName } from '../../../lib/browser/page-name.ts'
import { scheduleAddress } from '../../../lib/schedules-address.ts'
import { useHasScope } from '../../../session/use-session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { RedactedJson } from '../../../ui/json/RedactedJson.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Subhead } from '../../../ui/Subhead.tsx'
import { Actions } from '../Actions.tsx'
import { BackfillDialog } from '../BackfillDialog.tsx'
import { PauseDialog } from '../PauseDialog.tsx'
import { StateBadge } from '../StateBadge.tsx'
import { useScheduleActions } from '../use-schedule-actions.ts'
import { useSchedulesUrl } from '../use-schedules-url.ts'
import { Explain } from './Explain.tsx'
import { NextTicks } from './NextTicks.tsx'
import { Settings } from './Settings.tsx'
import { Ticks } from './Ticks.tsx'
import { useSchedule } from './use-schedule.ts'

export function SchedulePage({ name }: { name: string }) {
  const { data: row, error, refetch } = useSchedule(name)
  const { pausing, backfilling, deleting, set } = useSchedulesUrl()
  const { remove } = useScheduleActions()
  const canChange = useHasScope('admin')
  usePageName(`${name} · Schedules`)
  if (httpStatusOf(error) === 404) return <NotFound name={name} />
  if (error && !row) return <FailedToLoad isPage what="the schedule" error={error} onRetry={() => void refetch()} />
  return (
    <>
      <Subhead
        title={name}
        badges={row && <StateBadge row={row} />}
        back="Schedules"
        backTo="/schedules"
        actions={
          row && (
            <>
              <Actions row={row} />
              {canChange && (
                <Link
                  href={`${scheduleAddress(name)}&edit=1`}
                  className="inline-flex h-8 items-center rounded-md bg-raised px-3 font-medium hover:bg-line"
                >
                  Edit
                </Link>
              )}
              <Button needs="admin" onClick={() => set('backfill', name, { replace: false })}>
                Backfill
              </Button>
              <Button needs="admin" weight="quiet" onClick={() => set('delete', name, { replace: false })}>
                Delete
              </Button>
            </>
          )
        }
      >
        {row ? (
          <p className="wrap-anywhere">
            {row.text}
            <span className="text-muted">
              {' '}
              · {row.owner === null ? 'created by an operator' : `declared by ${row.owner}`}
            </span>
          </p>
        ) : (
          <Skeleton className="mt-1 h-4 w-64 max-w-full" />
        )}
      </Subhead>
      <Explain name={name} row={row} />
      <div className="mt-4 grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="grid grid-cols-1 gap-4">
          <NextTicks row={row} />
          <Ticks row={row} />
        </div>
        <div className="grid grid-cols-1 gap-4">
          <Settings row={row} />
          {row && (
            <Panel>
              <RedactedJson value={row.effective.payload} root="payload" title="Payload" />
            </Panel>
          )}
        </div>
      </div>
      {pausing !== null && <PauseDialog name={name} onClose={() => set('pause', null)} />}
      {row && backfilling !== null && <BackfillDialog row={row} onClose={() => set('backfill', null)} />}
      <Confirm
        title={`Delete ${name}?`}
        description={`No further jobs are enqueued, and its ticks are forgotten. Jobs that exist remain.${row?.owner ? ` ${row.owner} creates it again when it declares its schedules.` : ''}`}
        action="Delete"
        isOpen={deleting !== null && canChange}
        onConfirm={() => remove(name)}
        onClose={() => set('delete', null)}
      />
    </>
  )
}

function NotFound({ name }: { name: string }) {
  return (
    <Panel title="Schedule not found" isPage>
      <p className="mb-4 max-w-prose text-muted wrap-anywhere">
        No schedule is named {name}. It may have been deleted.
      </p>
      <Link href="/schedules" className="underline underline-offset-3">
        All schedules
      </Link>
    </Panel>
  )
}
