/** One line on how the queue flows: the oldest ready job, throughput, and how long jobs wait and run. */
import type { ReactNode } from 'react'
import { MINUTE } from '../../shared/limits.ts'
import { countdown, measured } from '../format/duration.ts'
import { formatNumber } from '../format/number.ts'
import { useNow } from '../live/use-now.ts'
import { Bone } from '../page/Bone.tsx'
import type { Stats } from './use-stats.ts'

export function FlowLine({ stats, readAt }: { stats: Stats | undefined; readAt: number }) {
  const minutes = stats ? stats.throughput.windowMs / 60_000 : 15
  return (
    <dl aria-label="Flow" className="mt-3 mb-8 px-4 sm:mt-4 sm:flex sm:flex-wrap sm:gap-x-8 sm:gap-y-3 sm:px-5">
      <Fact name="Oldest ready" width="min-h-8 sm:min-w-28">
        {stats && (stats.oldestReadyMs === null ? 'none' : <Ticking ms={stats.oldestReadyMs} readAt={readAt} />)}
      </Fact>
      <Fact name={`Last ${minutes} min`} width="min-h-13 sm:min-h-0 sm:min-w-76">
        {stats && (
          <>
            <Amount of={formatNumber(stats.throughput.enqueued)} unit="enqueued" />
            <Amount of={formatNumber(stats.throughput.completed)} unit="completed" />
            <Amount of={formatNumber(stats.throughput.failed)} unit="failed" title="Failed attempts, retried or not" />
          </>
        )}
      </Fact>
      <Fact name="Wait" width="min-h-8 sm:min-w-60">
        {stats && <Percentiles {...stats.latency.wait} />}
      </Fact>
      <Fact name="Run" width="min-h-8 sm:min-w-60">
        {stats && <Percentiles {...stats.latency.run} />}
      </Fact>
    </dl>
  )
}

/** At least `width` wide, so that a growing number does not push its neighbours about. */
function Fact({ name, width, children }: { name: string; width: string; children: ReactNode }) {
  return (
    <div className={`flex flex-wrap py-0.5 sm:py-0 items-center justify-between gap-x-3 sm:block ${width}`}>
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="ml-auto flex min-h-5 flex-wrap gap-x-3 sm:mt-0.5 sm:ml-0">
        {children ?? <Bone className="h-5 w-44" />}
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

/** Nothing is claimed without a frame, and frames bring a new reading: until then it grows by itself. */
function Ticking({ ms, readAt }: { ms: number; readAt: number }) {
  useNow()
  return measured(ms + Math.max(0, Date.now() - readAt))
}

function Amount({ of, unit, title }: { of: string; unit: string; title?: string }) {
  return (
    <span className="whitespace-nowrap" title={title}>
      {of} <span className="text-muted">{unit}</span>
    </span>
  )
}
