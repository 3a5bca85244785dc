/** Targets of Millrace and whether a comparison meets them. */
import { times } from '../../harness/table.ts'
import type { MeasureName } from '../measures.ts'
import { type Comparison, type Measured, pickupOf, ratioOf } from './comparison.ts'
import { titleOf } from './titles.ts'

/** At least a multiple of another system, in jobs per second. */
interface Share {
  readonly system: string
  readonly measure: Exclude<MeasureName, 'pickup'>
  readonly of: string
  readonly least: number
}

/** At most this many milliseconds until a waiting worker has a lone job. */
interface Latency {
  readonly system: string
  readonly percentile: 'p50' | 'p99'
  readonly mostMs: number
}

export type Target = Share | Latency

export const TARGETS: readonly Target[] = [
  { system: 'millrace-in-process', measure: 'enqueue', of: 'limit-in-process', least: 0.5 },
  { system: 'millrace-in-process', measure: 'process-50', of: 'limit-in-process', least: 0.5 },
  { system: 'millrace-in-process', measure: 'e2e', of: 'limit-in-process', least: 0.5 },
  { system: 'millrace-in-process', measure: 'e2e', of: 'plainjob', least: 10 },
  { system: 'millrace-http', measure: 'enqueue', of: 'bullmq', least: 1.5 },
  { system: 'millrace-http', measure: 'process-1', of: 'bullmq', least: 1 },
  { system: 'millrace-http', measure: 'process-50', of: 'bullmq', least: 1.5 },
  { system: 'millrace-http', measure: 'e2e', of: 'bullmq', least: 2 },
  { system: 'millrace-http', measure: 'e2e', of: 'limit-http', least: 0.6 },
  { system: 'millrace-http', percentile: 'p50', mostMs: 2.5 },
  { system: 'millrace-http', percentile: 'p99', mostMs: 12 },
  { system: 'millrace-http-prefetch', measure: 'process-1', of: 'bullmq', least: 1 },
  { system: 'millrace-http-prefetch', measure: 'process-50', of: 'bullmq', least: 1.5 },
  { system: 'millrace-http-prefetch', measure: 'e2e', of: 'bullmq', least: 2 },
  { system: 'millrace-postgres', measure: 'process-1', of: 'graphile-worker', least: 1 },
  { system: 'millrace-postgres', measure: 'process-50', of: 'pg-boss', least: 1 },
  { system: 'millrace-postgres-prefetch', measure: 'process-1', of: 'graphile-worker', least: 1 },
  { system: 'millrace-postgres-prefetch', measure: 'process-50', of: 'pg-boss', least: 1 },
  { system: 'millrace-postgres', measure: 'e2e', of: 'graphile-worker', least: 6 },
  { system: 'millrace-postgres', measure: 'e2e', of: 'pg-boss', least: 6 },
  { system: 'millrace-postgres', percentile: 'p50', mostMs: 4 },
]

export interface Judged {
  readonly system: string
  readonly target: string
  readonly measured: string
  readonly isMet: boolean
}

/** Targets whose systems were all measured. */
export function judge({ systems }: Comparison): readonly Judged[] {
  return TARGETS.flatMap((target) => {
    const ours = systems.find(({ name }) => name === target.system)
    if (!ours) return []
    const judged = 'of' in target ? judgeShare(target, ours, systems) : judgeLatency(target, ours)
    return judged ? [judged] : []
  })
}

function judgeShare({ measure, of, least }: Share, ours: Measured, systems: readonly Measured[]): Judged | null {
  const base = systems.find(({ name }) => name === of)
  const share = ratioOf(ours, base, measure)
  if (!base || share === null) return null
  const target = `${titleOf(measure)} ≥ ${least} × ${base.label}`
  return { system: ours.label, target, measured: times(share), isMet: share >= least }
}

function judgeLatency({ percentile, mostMs }: Latency, ours: Measured): Judged | null {
  const ms = pickupOf(ours)?.[percentile]
  if (ms === undefined) return null
  const target = `pickup ${percentile} ≤ ${mostMs} ms`
  return { system: ours.label, target, measured: `${ms.toFixed(2)} ms`, isMet: ms <= mostMs }
}
