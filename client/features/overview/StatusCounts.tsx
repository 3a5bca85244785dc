/** Exact job count per status in lifecycle order; each links to its jobs. */
import { Link } from 'wouter'
import { type StatusCounts as Counts, STATUSES, type Status } from '../../../shared/status.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { tableAddress } from '../../lib/jobs-address.ts'
import { StatusDot } from '../../ui/job/StatusPill.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function StatusCounts({ counts }: { counts: Counts | undefined }) {
  const total = counts && STATUSES.reduce((sum, status) => sum + counts[status], 0)
  return (
    <dl
      aria-label="Jobs by status"
      className="grid grid-cols-2 gap-x-6 rounded-lg bg-surface px-4 py-2 ring-1 ring-line sm:grid-cols-3 sm:px-5 sm:py-4 lg:grid-cols-9 lg:gap-x-3"
    >
      {STATUSES.map((status) => (
        <Count key={status} status={status} count={counts?.[status]} />
      ))}
      <Count count={total} />
    </dl>
  )
}

function Count({ status, count }: { status?: Status; count: number | undefined }) {
  return (
    <div data-tone={status} className="relative flex h-9 min-w-0 items-center justify-between gap-2 sm:block sm:h-14">
      <dt className="flex items-center gap-2 text-muted text-xs">
        {status && <StatusDot status={status} />}
        {status ?? 'all'}
      </dt>
      <dd
        data-testid={status ? 'count' : 'count-all'}
        data-status={status}
        className={`font-medium text-base tracking-tight sm:mt-1 sm:text-2xl ${toneOf(status, count)}`}
      >
        <Link
          href={status ? tableAddress('status', status) : '/jobs'}
          aria-label={[count === undefined ? '' : formatNumber(count), status ?? '', 'jobs'].filter(Boolean).join(' ')}
          // The link covers the whole cell.
          className="outline-none after:absolute after:-inset-x-2 after:-inset-y-0.5 after:rounded-md hover:underline hover:decoration-2 hover:underline-offset-4 focus-visible:after:outline-2 focus-visible:after:outline-focus"
        >
          {count === undefined ? <Skeleton className="h-4 w-8 sm:h-6 sm:w-12" /> : formatNumber(count)}
        </Link>
      </dd>
    </div>
  )
}

function toneOf(status: Status | undefined, count: number | undefined): string {
  if (!count) return 'text-faint'
  return status === 'failed' ? 'text-tone-ink' : ''
}
