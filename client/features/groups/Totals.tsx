/** Numbers of a group or of a key; each links to its jobs. */
import { Link } from 'wouter'
import type { Status } from '../../../shared/status.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { groupJobsAddress } from '../../lib/jobs-address.ts'
import { StatusDot } from '../../ui/job/StatusPill.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

const SHOWN = ['blocked', 'pending', 'processing'] as const satisfies readonly Status[]

type Counts = Readonly<Record<(typeof SHOWN)[number], number>>

export interface TotalsProps {
  readonly name: string
  /** null: of the whole group. */
  readonly keyName: string | null
  readonly counts: Counts | undefined
  /** Keys with unfinished jobs; undefined: not shown. */
  readonly keys?: number | undefined
}

export function Totals({ name, keyName, counts, keys }: TotalsProps) {
  return (
    <dl
      aria-label="Jobs by status"
      className={`grid gap-x-6 rounded-lg bg-surface px-4 py-2 ring-1 ring-line sm:px-5 sm:py-4 ${keyName === null ? 'grid-cols-2 sm:grid-cols-4' : 'grid-cols-1 sm:grid-cols-3'}`}
    >
      {SHOWN.map((status) => (
        <Cell key={status} label={status} status={status} count={counts?.[status]}>
          <Link
            href={groupJobsAddress(name, keyName, status)}
            aria-label={[counts ? formatNumber(counts[status]) : '', status, 'jobs'].filter(Boolean).join(' ')}
            // The link covers the whole cell.
            className="outline-none after:absolute after:-inset-x-2 after:-inset-y-0.5 after:rounded-md hover:underline hover:decoration-2 hover:underline-offset-4 focus-visible:after:outline-2 focus-visible:after:outline-focus"
          >
            <Count of={counts?.[status]} />
          </Link>
        </Cell>
      ))}
      {keyName === null && (
        <Cell label="keys" count={keys}>
          <Count of={keys} />
        </Cell>
      )}
    </dl>
  )
}

interface CellProps {
  readonly label: string
  readonly status?: Status
  readonly count: number | undefined
  readonly children: React.ReactNode
}

function Cell({ label, status, count, children }: CellProps) {
  return (
    <div data-tone={status} className="relative flex h-9 min-w-0 items-center justify-between gap-2 sm:block sm:h-14">
      <dt className="flex items-center gap-2 text-muted text-xs">
        {status && <StatusDot status={status} />}
        {label}
      </dt>
      <dd
        data-testid="group-count"
        data-status={label}
        className={`font-medium text-base tracking-tight sm:mt-1 sm:text-2xl ${count ? '' : 'text-faint'}`}
      >
        {children}
      </dd>
    </div>
  )
}

function Count({ of: count }: { of: number | undefined }) {
  return count === undefined ? <Skeleton className="h-4 w-8 sm:h-6 sm:w-12" /> : formatNumber(count)
}
