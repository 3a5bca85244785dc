/** Queue metrics in one line: oldest waiting job, throughput, wait and run times. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { MINUTE } from '../../../shared/limits.ts'
import { formatTerm } from '../../lib/filter/tokenizer.ts'
import { countdown, measured } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { useNow } from '../../live/use-now.ts'
import type { Stats } from '../../live/use-stats.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function FlowLine({ stats, readAt }: { stats: Stats | undefined; readAt: number }) {
  const minutes = stats ? stats.throughput.windowMs / 60_000 : 15
  return (
    <dl
      aria-label="Queue metrics"
      className="mt-3 mb-8 grid gap-y-3 px-4 sm:mt-4 sm:grid-cols-[8rem_minmax(0,1fr)] sm:gap-x-6 sm:px-5 lg:grid-cols-[8rem_repeat(3,minmax(0,1fr))]"
    >
      <Metric name="Oldest waiting job">
        {stats && (stats.oldestReady ? <Oldest {...stats.oldestReady} readAt={readAt} /> : 'none')}
      </Metric>
      <Metric name={`Last ${minutes} min`}>
        {stats && (
          <>
            <Value text={formatNumber(stats.throughput.enqueued)} unit="enqueued" />
            <Value text={formatNumber(stats.throughput.completed)} unit="completed" />
            <Value text={formatNumber(stats.throughput.failed)} unit="failed" title="Failed attempts, retried or not" />
          </>
        )}
      </Metric>
      <Metric name="Wait">{stats && <Percentiles {...stats.latency.wait} />}</Metric>
      <Metric name="Run">{stats && <Percentiles {...stats.latency.run} />}</Metric>
    </dl>
  )
}

/** Fixed height and column widths, so that growing numbers move nothing. */
function Metric({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[5.5rem_minmax(0,1fr)] sm:block">
      <dt className="text-muted text-xs/5">{name}</dt>
      <dd className="grid h-9.5 grid-cols-3 gap-x-2 overflow-hidden whitespace-nowrap">
        {children ?? <Skeleton className="col-span-3 h-5 w-44" />}
      </dd>
    </div>
  )
}

function Percentiles({ p50, p95, p99 }: Record<'p50' | 'p95' | 'p99', number | null>) {
  if (p50 === null || p95 === null || p99 === null) return 'none yet'
  return (
    <>
      <Value text={short(p50)} unit="p50" />
      <Value text={short(p95)} unit="p95" />
      <Value text={short(p99)} unit="p99" />
    </>
  )
}

function short(ms: number): string {
  return ms < MINUTE ? measured(ms) : countdown(ms)
}

/** Links to the pending jobs of its type. Paused types are excluded. */
function Oldest({ type, ms, readAt }: { type: string; ms: number; readAt: number }) {
  return (
    <span className="col-span-3 leading-5">
      <Ticking ms={ms} readAt={readAt} />
      <Link
        href={`/jobs?${new URLSearchParams({ view: 'table', q: `${formatTerm('type', type)} status:pending` })}`}
        className="block truncate text-muted text-xs/4 hover:underline"
        title={type}
      >
        {type}
      </Link>
    </span>
  )
}

/** The age grows until the next read: every claim sends a frame, and frames cause a read. */
function Ticking({ ms, readAt }: { ms: number; readAt: number }) {
  useNow()
  return measured(ms + Math.max(0, Date.now() - readAt))
}

function Value({ text, unit, title }: { text: string; unit: string; title?: string }) {
  return (
    <span className="leading-5" title={title}>
      {text} <span className="block text-muted text-xs/4">{unit}</span>
    </span>
  )
}
