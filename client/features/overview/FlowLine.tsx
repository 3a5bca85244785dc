/** One line on how the queue flows: the oldest waiting job, throughput, and how long jobs wait and run. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { MINUTE } from '../../../shared/limits.ts'
import { countdown, measured } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { useNow } from '../../live/use-now.ts'
import { Bone } from '../../ui/Skeleton.tsx'
import { wordFor } from '../jobs/filter/tokenizer.ts'
import type { Stats } from './use-stats.ts'

export function FlowLine({ stats, readAt }: { stats: Stats | undefined; readAt: number }) {
  const minutes = stats ? stats.throughput.windowMs / 60_000 : 15
  return (
    <dl
      aria-label="Flow"
      className="mt-3 mb-8 grid gap-y-3 px-4 sm:mt-4 sm:grid-cols-[8rem_minmax(0,1fr)] sm:gap-x-6 sm:px-5 lg:grid-cols-[8rem_repeat(3,minmax(0,1fr))]"
    >
      <Fact name="Oldest waiting job">
        {stats && (stats.oldestReady ? <Oldest {...stats.oldestReady} readAt={readAt} /> : 'none')}
      </Fact>
      <Fact name={`Last ${minutes} min`}>
        {stats && (
          <>
            <Amount of={formatNumber(stats.throughput.enqueued)} unit="enqueued" />
            <Amount of={formatNumber(stats.throughput.completed)} unit="completed" />
            <Amount of={formatNumber(stats.throughput.failed)} unit="failed" title="Failed attempts, retried or not" />
          </>
        )}
      </Fact>
      <Fact name="Wait">{stats && <Percentiles {...stats.latency.wait} />}</Fact>
      <Fact name="Run">{stats && <Percentiles {...stats.latency.run} />}</Fact>
    </dl>
  )
}

/** Always two lines below its name, in columns of a fixed width: a number that grows moves nothing. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[5.5rem_minmax(0,1fr)] sm:block">
      <dt className="text-muted text-xs/5">{name}</dt>
      <dd className="grid h-9.5 grid-cols-3 gap-x-2 overflow-hidden whitespace-nowrap">
        {children ?? <Bone className="col-span-3 h-5 w-44" />}
      </dd>
    </div>
  )
}

function Percentiles({ p50, p95, p99 }: Record<'p50' | 'p95' | 'p99', number | null>) {
  if (p50 === null || p95 === null || p99 === null) return 'none yet'
  return (
    <>
      <Amount of={short(p50)} unit="p50" />
      <Amount of={short(p95)} unit="p95" />
      <Amount of={short(p99)} unit="p99" />
    </>
  )
}

/** Three of them stand in a line. */
function short(ms: number): string {
  return ms < MINUTE ? measured(ms) : countdown(ms)
}

/** Its type leads to the jobs of that type that are ready, oldest first. Paused types do not count. */
function Oldest({ type, ms, readAt }: { type: string; ms: number; readAt: number }) {
  return (
    <span className="col-span-3 leading-5">
      <Ticking ms={ms} readAt={readAt} />
      <Link
        href={`/jobs?${new URLSearchParams({ view: 'table', q: `${wordFor('type', type)} status:pending` })}`}
        className="block truncate text-muted text-xs/4 hover:underline"
        title={type}
      >
        {type}
      </Link>
    </span>
  )
}

/** Nothing is claimed without a frame, and frames bring a new reading: until then it grows by itself. */
function Ticking({ ms, readAt }: { ms: number; readAt: number }) {
  useNow()
  return measured(ms + Math.max(0, Date.now() - readAt))
}

function Amount({ of, unit, title }: { of: string; unit: string; title?: string }) {
  return (
    <span className="leading-5" title={title}>
      {of} <span className="block text-muted text-xs/4">{unit}</span>
    </span>
  )
}
