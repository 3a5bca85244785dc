/** One schedule: rule, next run, last result and actions. */
import { Link } from 'wouter'
import type { ScheduleRow as Row } from '../../../../shared/schedules/schedule.ts'
import { scheduleAddress } from '../../../lib/schedules-address.ts'
import { useNow } from '../../../live/use-now.ts'
import { Age, exactTime, Until } from '../../../ui/Age.tsx'
import { StatusDot } from '../../../ui/job/StatusPill.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Actions } from '../Actions.tsx'
import { StateBadge } from '../StateBadge.tsx'
import { lastResult } from '../schedule-state.ts'
import { whenTitle } from '../when.ts'

export const COLUMNS =
  'grid items-center gap-x-4 px-4 sm:px-5 md:grid-cols-[minmax(0,1fr)_minmax(0,11rem)_9.5rem] lg:grid-cols-[minmax(0,1fr)_minmax(0,8.5rem)_minmax(0,14rem)_8.5rem_9.5rem]'

export function ScheduleRow({ row, isGone }: { row: Row; isGone: boolean }) {
  const { name, effective, text, paused } = row
  return (
    <li
      data-schedule={name}
      data-state={row.state}
      className={`${COLUMNS} min-h-15 grid-cols-[minmax(0,1fr)_auto] gap-y-1.5 py-2.5 hover:bg-raised/40 ${isGone ? 'opacity-50' : ''}`}
    >
      <div className="min-w-0 max-md:col-span-2">
        <p className="flex min-w-0 items-center gap-2">
          <Link
            href={scheduleAddress(name)}
            data-row-link
            title={name}
            className="truncate font-medium hover:underline"
          >
            {name}
          </Link>
          <StateBadge row={row} />
          <span className="truncate text-faint text-xs lg:hidden">{effective.type}</span>
        </p>
        <p className="truncate text-muted text-xs" title={text}>
          {paused?.note ? `${paused.note} · ${text}` : text}
        </p>
      </div>
      <p className="truncate text-muted max-lg:hidden" title={effective.type}>
        {effective.type}
      </p>
      <NextRun row={row} />
      <Result row={row} />
      <div className="flex justify-end gap-1 max-md:col-start-2 max-md:row-span-2 max-md:row-start-2 max-md:self-center">
        {isGone ? <p className="text-muted text-xs">no longer in this list</p> : <Actions isSmall row={row} />}
      </div>
    </li>
  )
}

function NextRun({ row: { nextRunAt, effective } }: { row: Row }) {
  const now = useNow()
  const { timezone } = effective
  if (nextRunAt === null) {
    return (
      <p className="text-faint">
        <span className="md:hidden">no next run</span>
        <span className="max-md:hidden">–</span>
      </p>
    )
  }
  return (
    <div className="min-w-0" title={exactTime(nextRunAt)} data-testid="next-run">
      <p className="truncate">{whenTitle(nextRunAt, timezone, now)}</p>
      <p className="truncate text-muted text-xs">
        {timezone} · <Until at={nextRunAt} />
      </p>
    </div>
  )
}

function Result({ row }: { row: Row }) {
  const result = lastResult(row)
  if (result === null) return <p className="text-faint text-xs md:max-lg:hidden">no job has ended yet</p>
  const { status, at, detail } = result
  return (
    <div data-tone={status} data-testid="last-result" className="min-w-0 md:max-lg:hidden">
      <p className="flex items-center gap-1.5 max-md:text-xs">
        <StatusDot status={status} />
        {status}{' '}
        <span className="text-muted md:hidden">
          · <Age at={at} />
        </span>
      </p>
      <p className="truncate text-muted text-xs max-md:hidden">
        <Age at={at} />
        {detail !== '' && ` · ${detail}`}
      </p>
    </div>
  )
}

export function SkeletonSchedule() {
  return (
    <li aria-hidden="true" className="flex min-h-15 items-center gap-4 px-4 sm:px-5">
      <Skeleton className="h-8 w-2/5" />
      <Skeleton className="ml-auto h-7 w-40" />
    </li>
  )
}
