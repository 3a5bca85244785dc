/** One failure group: a row with expandable details. */
import { useId } from 'react'
import { Link } from 'wouter'
import { formatNumber } from '../../lib/format-number.ts'
import { Age } from '../../ui/Age.tsx'
import { Sparkline } from '../../ui/chart/Sparkline.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorKey } from './ErrorKey.tsx'
import { GroupDetail } from './GroupDetail.tsx'
import { jobsPath } from './group-filter.ts'
import { RetryGroup } from './RetryGroup.tsx'
import type { FailureGroup } from './use-groups.ts'

export const COLUMNS =
  'grid items-center gap-x-4 px-4 sm:px-5 lg:grid-cols-[minmax(0,1fr)_6rem_3.5rem_3.5rem_4rem_4rem_9.5rem]'

export interface GroupRowProps {
  readonly group: FailureGroup
  /** No job of its type has the status failed, so there is nothing to retry. */
  readonly hasNoFailedJobs: boolean
  readonly isOpen: boolean
  readonly onToggle: () => void
}

export function GroupRow({ group, hasNoFailedJobs, isOpen, onToggle }: GroupRowProps) {
  const { type, errorKey, lastHour, lastDay, lastWeek, lastSeenAt, trend } = group
  const detail = useId()
  return (
    <li data-group={type} className="hover:bg-raised/40">
      <div className={`${COLUMNS} min-h-14 gap-y-2 py-2 max-lg:flex max-lg:flex-wrap max-lg:gap-x-3`}>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={detail}
          onClick={onToggle}
          className="flex min-w-0 items-center gap-2.5 rounded text-left max-lg:basis-full"
        >
          <span className="text-faint">
            <Icon name={isOpen ? 'down' : 'right'} />
          </span>
          <span className="min-w-0">
            <span className="block truncate font-medium">{type}</span>
            <span className="block truncate text-muted" title={errorKey}>
              <ErrorKey errorKey={errorKey} />
            </span>
          </span>
        </button>
        <span className="hidden lg:block">
          <Sparkline
            values={trend}
            tone="failed"
            label={`${formatNumber(lastDay)} failures in the last 24 hours, by hour`}
          />
        </span>
        <Count of={lastHour} span="1 h" isAlarming={lastHour > 0} />
        <Count of={lastDay} span="24 h" />
        <Count of={lastWeek} span="7 d" />
        <span className="hidden text-right text-muted lg:block">
          <Age isShort at={lastSeenAt} />
        </span>
        <span className="ml-auto flex items-center justify-end gap-1">
          <Link
            href={jobsPath(group)}
            aria-label={`Show jobs of this group: ${type}`}
            className="inline-flex h-7 items-center whitespace-nowrap rounded-md px-2 font-medium text-muted text-xs transition-colors hover:bg-raised hover:text-ink"
          >
            Show jobs
          </Link>
          <RetryGroup group={group} hasNoFailedJobs={hasNoFailedJobs} />
        </span>
      </div>
      <div id={detail} hidden={!isOpen}>
        {isOpen && <GroupDetail group={group} />}
      </div>
    </li>
  )
}

/** Narrow pages have no column heads, so the time span stands beside the number. */
function Count({ of, span, isAlarming = false }: { of: number; span: string; isAlarming?: boolean }) {
  return (
    <span
      {...(isAlarming ? { 'data-tone': 'failed' } : {})}
      className={`whitespace-nowrap lg:text-right ${of === 0 ? 'text-faint' : isAlarming ? 'font-medium text-tone-ink' : ''}`}
    >
      {formatNumber(of)}
      <span className="text-muted text-xs lg:sr-only"> in {span}</span>
    </span>
  )
}

export function SkeletonGroup() {
  return (
    <li aria-hidden="true" className="flex min-h-14 items-center gap-4 px-4 sm:px-5">
      <Skeleton className="h-8 w-3/5" />
      <Skeleton className="ml-auto h-6 w-28" />
    </li>
  )
}
