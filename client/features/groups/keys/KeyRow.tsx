/** One key: numbers, the longest wait and when its next job may start. */
import { Link } from 'wouter'
import type { GroupKeyRow } from '../../../../shared/groups/records.ts'
import type { Status } from '../../../../shared/status.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { groupAddress } from '../../../lib/groups-address.ts'
import { useNow } from '../../../live/use-now.ts'
import { Age } from '../../../ui/Age.tsx'
import { StatusDot } from '../../../ui/job/StatusPill.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { KeyBadges } from '../KeyBadges.tsx'
import { nextOf, runningText } from '../key-state.ts'

export const COLUMNS =
  'grid items-center gap-x-4 px-4 sm:px-5 md:grid-cols-[minmax(0,1fr)_4.5rem_4rem_5rem_5.5rem_minmax(0,11rem)] lg:grid-cols-[minmax(0,1fr)_6rem_5rem_6rem_6rem_15rem]'

export function KeyRow({ row }: { row: GroupKeyRow }) {
  const { name, key, pending, blocked, processing, oldestBlockedAt } = row
  const next = nextOf(row, useNow())
  return (
    <li
      data-key={key}
      className={`${COLUMNS} relative min-h-11 grid-cols-[auto_auto_1fr] gap-y-1 py-2 hover:bg-raised/40`}
    >
      <p className="col-span-3 flex min-w-0 items-center gap-2 md:col-span-1">
        <Link
          href={groupAddress(name, key)}
          data-row-link
          title={key}
          // The link covers the whole row.
          className="truncate font-medium outline-none after:absolute after:inset-0 hover:underline focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2"
        >
          {key}
        </Link>
        <KeyBadges row={row} />
      </p>
      <Count name="Running" status="processing" isZero={processing === 0}>
        {runningText(row)}
      </Count>
      <Count name="Pending" status="pending" isZero={pending === 0}>
        {formatNumber(pending)}
      </Count>
      <Count name="Blocked" status="blocked" isZero={blocked === 0}>
        {formatNumber(blocked)}
      </Count>
      <p className="text-muted max-md:col-span-3 md:text-right">
        {oldestBlockedAt === null ? (
          <span aria-hidden="true" className="text-faint max-md:hidden">
            –
          </span>
        ) : (
          <>
            <span className="text-xs md:sr-only">Longest wait </span>
            <Age isShort at={oldestBlockedAt} />
          </>
        )}
        {next !== null && (
          <span className="md:hidden">
            {oldestBlockedAt !== null && ' · '}
            {next.isHeld ? next.text : `next ${next.text}`}
          </span>
        )}
      </p>
      <p className="truncate text-muted max-md:hidden" title={next?.text}>
        {next?.text}
      </p>
    </li>
  )
}

interface CountProps {
  readonly name: string
  readonly status: Status
  readonly isZero: boolean
  readonly children: string
}

/** Narrow pages have no column heads, so the name stands beside the number. */
function Count({ name, status, isZero, children }: CountProps) {
  return (
    <p data-tone={status} className="flex items-center gap-1.5 whitespace-nowrap md:justify-end">
      <span className="flex items-center gap-1.5 text-muted text-xs md:sr-only">
        <StatusDot status={status} />
        {name}
      </span>
      <span className={isZero ? 'text-faint' : ''}>{children}</span>
    </p>
  )
}

export function SkeletonKey() {
  return (
    <li aria-hidden="true" className="flex min-h-11 items-center gap-4 px-4 sm:px-5">
      <Skeleton className="h-4 w-1/4" />
      <Skeleton className="ml-auto h-4 w-2/5" />
    </li>
  )
}
