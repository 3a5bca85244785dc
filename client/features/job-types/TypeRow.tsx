/** One job type: backlog, throughput, failure rate, limits and actions. */
import { Link } from 'wouter'
import { formatTerm } from '../../lib/filter/tokenizer.ts'
import { measured } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { useNow } from '../../live/use-now.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Sparkline } from '../../ui/chart/Sparkline.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { backlogOf } from './flow.ts'
import { Limits } from './Limits.tsx'
import { Metric } from './Metric.tsx'
import type { TypeEntry } from './use-types.ts'

export const COLUMNS =
  'grid items-center gap-x-4 px-4 sm:px-5 lg:grid-cols-[minmax(0,1fr)_10rem_7rem_10rem_5rem_8.5rem]'

export interface TypeRowProps {
  readonly entry: TypeEntry
  readonly hasCounts: boolean
  readonly hasFlow: boolean
  readonly onPause: () => void
  readonly onResume: () => void
  readonly onEdit: () => void
}

export function TypeRow({ entry, hasCounts, hasFlow, onPause, onResume, onEdit }: TypeRowProps) {
  const { type, counts, flow, oldest } = entry
  const { name, kind, effective, override } = type
  const backlog = backlogOf(counts)
  return (
    <li data-type={name} className={`${COLUMNS} min-h-15 grid-cols-2 gap-y-2 py-2.5 hover:bg-raised/40`}>
      <div className="col-span-2 min-w-0 lg:col-span-1">
        <p className="flex min-w-0 items-center gap-2">
          <Link
            href={`/jobs?${new URLSearchParams({ view: 'table', q: formatTerm('type', name) })}`}
            className="truncate font-medium hover:underline"
          >
            {name}
          </Link>
          {kind !== 'job' && <Badge tone="cancelled">{kind}</Badge>}
          {effective.paused && <Badge tone="pending">paused</Badge>}
        </p>
        <Limits name={name} effective={effective} override={override} />
      </div>
      <Metric
        name="Backlog"
        chart={
          hasFlow && (
            <Sparkline values={flow.backlog} tone="pending" label={backlogLabel(name, flow.backlog, backlog)} />
          )
        }
      >
        {hasCounts ? formatNumber(backlog) : <Skeleton className="h-4 w-8" />}
      </Metric>
      <Metric name="Oldest waiting">
        {!hasCounts && <Skeleton className="h-4 w-8" />}
        {hasCounts && (oldest ? <OldestAge {...oldest} /> : <span className="text-faint">none</span>)}
      </Metric>
      <Metric
        name="Completed/min"
        chart={
          hasFlow && (
            <Sparkline
              values={flow.completed}
              tone="completed"
              label={`Completed ${name} jobs per minute in the last hour`}
            />
          )
        }
      >
        {hasFlow ? rate(flow.completedPerMinute) : <Skeleton className="h-4 w-8" />}
      </Metric>
      <Metric name="Failure rate">
        <FailureRate rate={flow.failureRate} failed={flow.failed} />
      </Metric>
      <div className="col-span-2 flex justify-end gap-1 lg:col-span-1">
        <Button isSmall needs="admin" weight="quiet" onClick={onEdit} aria-label={`Edit settings of ${name}`}>
          Edit
        </Button>
        {effective.paused ? (
          <Button isSmall needs="admin" onClick={onResume} aria-label={`Resume ${name}`} className="w-17">
            Resume
          </Button>
        ) : (
          <Button isSmall needs="admin" onClick={onPause} aria-label={`Pause ${name}`} className="w-17">
            Pause
          </Button>
        )}
      </div>
    </li>
  )
}

function backlogLabel(name: string, series: readonly (number | null)[], now: number): string {
  const known = series.filter((value) => value !== null)
  const gaps = known.length < series.length ? `, recorded for ${known.length} of ${series.length} minutes` : ''
  const most = Math.max(...known)
  return `Backlog of ${name} in the last hour: at most ${formatNumber(most)}, now ${formatNumber(now)}${gaps}`
}

/** Keeps counting between two reads. */
function OldestAge({ ms, readAt }: NonNullable<TypeEntry['oldest']>) {
  useNow()
  return measured(Math.max(1_000, ms + Math.max(0, Date.now() - readAt)))
}

function FailureRate({ rate: share, failed }: { rate: number | null; failed: number }) {
  if (share === null || share === 0)
    return <span className="text-faint">{share === null ? <NoAttempts /> : '0 %'}</span>
  const percent = share * 100
  return (
    <span
      data-tone="failed"
      className="text-tone-ink"
      title={`${formatNumber(failed)} failed attempts in the last hour`}
    >
      {percent < 1 ? '< 1' : Math.round(percent)} %
    </span>
  )
}

function NoAttempts() {
  return (
    <span title="No attempt ended in the last hour">
      <span aria-hidden="true">–</span>
      <span className="sr-only">no attempts</span>
    </span>
  )
}

function rate(perMinute: number): string {
  return perMinute === 0 ? '0' : perMinute < 10 ? perMinute.toFixed(1) : formatNumber(Math.round(perMinute))
}
