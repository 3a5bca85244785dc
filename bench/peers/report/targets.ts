/** Targets of Millrace and whether a comparison meets them. */
import { times } from '../../harness/table.ts'
import type { MeasureName } from '../measures.ts'
import { type Comparison, type Measured, pickupOf, ratioOf } from './comparison.ts'
import { titleOf } from './titles.ts'

/** The lines of the comparison that must be shown, by kind of system. */
type Line = 'In process, durable' | 'Over the network, durable' | 'PostgreSQL as shipped'

interface Listed {
  readonly line: Line
  /** The user of the worker has declared a setting that is not the default; the line is about the default. */
  readonly isDeclared?: boolean
}

/** At least a multiple of another system, in jobs per second. */
interface Share extends Listed {
  readonly system: string
  readonly measure: Exclude<MeasureName, 'pickup'>
  readonly of: string
  readonly least: number
}

/** At most this many milliseconds until a waiting worker has a lone job. */
interface Latency extends Listed {
  readonly system: string
  readonly percentile: 'p50' | 'p99'
  readonly mostMs: number
}

export type Target = Share | Latency

const IN_PROCESS = { system: 'millrace-in-process', line: 'In process, durable' } as const
const NETWORK = { system: 'millrace-http', line: 'Over the network, durable' } as const
const NETWORK_PREFETCH = { ...NETWORK, system: 'millrace-http-prefetch', isDeclared: true } as const
const POSTGRES = { system: 'millrace-postgres', line: 'PostgreSQL as shipped' } as const
const POSTGRES_PREFETCH = { ...POSTGRES, system: 'millrace-postgres-prefetch', isDeclared: true } as const

export const TARGETS: readonly Target[] = [
  { ...NETWORK, measure: 'e2e', of: 'bullmq', least: 2 },
  { ...NETWORK, measure: 'e2e', of: 'limit-http', least: 0.6 },
  { ...NETWORK, measure: 'enqueue', of: 'bullmq', least: 1.5 },
  { ...NETWORK, measure: 'process-1', of: 'bullmq', least: 1 },
  { ...NETWORK, measure: 'process-50', of: 'bullmq', least: 1.5 },
  { ...NETWORK, percentile: 'p50', mostMs: 2.5 },
  { ...NETWORK, percentile: 'p99', mostMs: 12 },
  { ...NETWORK_PREFETCH, measure: 'e2e', of: 'bullmq', least: 2 },
  { ...NETWORK_PREFETCH, measure: 'process-1', of: 'bullmq', least: 1 },
  { ...NETWORK_PREFETCH, measure: 'process-50', of: 'bullmq', least: 1.5 },
  { ...IN_PROCESS, measure: 'e2e', of: 'limit-in-process', least: 0.5 },
  { ...IN_PROCESS, measure: 'enqueue', of: 'limit-in-process', least: 0.5 },
  { ...IN_PROCESS, measure: 'process-50', of: 'limit-in-process', least: 0.5 },
  { ...IN_PROCESS, measure: 'e2e', of: 'plainjob', least: 10 },
  { ...POSTGRES, measure: 'e2e', of: 'graphile-worker', least: 6 },
  { ...POSTGRES, measure: 'e2e', of: 'pg-boss', least: 6 },
  { ...POSTGRES, measure: 'process-1', of: 'graphile-worker', least: 1 },
  { ...POSTGRES, measure: 'process-50', of: 'pg-boss', least: 1 },
  { ...POSTGRES, percentile: 'p50', mostMs: 4 },
  { ...POSTGRES_PREFETCH, measure: 'process-1', of: 'graphile-worker', least: 1 },
  { ...POSTGRES_PREFETCH, measure: 'process-50', of: 'pg-boss', least: 1 },
]

export interface Judged {
  /** The line that must be shown; a declared setting is named. */
  readonly line: string
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

function judgeShare(share: Share, ours: Measured, systems: readonly Measured[]): Judged | null {
  const { measure, of, least } = share
  const base = systems.find(({ name }) => name === of)
  const ratio = ratioOf(ours, base, measure)
  if (!base || ratio === null) return null
  const target = `${titleOf(measure)} ≥ ${least} × ${base.label}`
  return { line: lineOf(share), system: ours.label, target, measured: times(ratio), isMet: ratio >= least }
}

function judgeLatency(latency: Latency, ours: Measured): Judged | null {
  const { percentile, mostMs } = latency
  const ms = pickupOf(ours)?.[percentile]
  if (ms === undefined) return null
  const target = `pickup ${percentile} ≤ ${mostMs} ms`
  return { line: lineOf(latency), system: ours.label, target, measured: `${ms.toFixed(2)} ms`, isMet: ms <= mostMs }
}

function lineOf({ line, isDeclared }: Listed): string {
  return isDeclared ? `${line}; with a declared setting` : line
}
