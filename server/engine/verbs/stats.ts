/** The numbers on the front page: exact counts, the age of the oldest ready job, throughput and latency. */
import { percentile } from '../../../shared/histogram.ts'
import { MINUTE } from '../../../shared/limits.ts'
import { emptyCounts, STATUSES, type StatusCounts } from '../../../shared/status.ts'
import type { Paused, Store } from '../../store/store.ts'

const WINDOW_MINUTES = 15

/** Durations in milliseconds; null: there were none. */
export interface Percentiles {
  /** Half of them took at most this long. */
  readonly p50: number | null
  /** 95 of 100 took at most this long. */
  readonly p95: number | null
  /** 99 of 100 took at most this long. */
  readonly p99: number | null
}

export interface OldestReady {
  readonly type: string
  readonly ms: number
}

/** Exact counts, the age of the oldest ready job, throughput and latency. */
export interface Stats {
  /** Numbers of jobs by status. */
  readonly counts: StatusCounts
  /** The same for each type. */
  readonly byType: Readonly<Record<string, StatusCounts>>
  /** How long the oldest claimable job has been ready; null when none is. Paused types do not count. */
  readonly oldestReadyMs: number | null
  /** The same, with the type of that job. */
  readonly oldestReady: OldestReady | null
  /** The same of each type that has one, paused types too. */
  readonly oldestReadyMsByType: Readonly<Record<string, number>>
  /** Over the last quarter of an hour. */
  readonly throughput: {
    readonly windowMs: number
    readonly enqueued: number
    readonly completed: number
    readonly failed: number
    readonly dead: number
  }
  /** From ready to claimed, and from claimed to settled, in milliseconds. */
  readonly latency: { readonly wait: Percentiles; readonly run: Percentiles }
  /** Of all attempts that ever ended, removed jobs included; null unless `allTime` asks for it. */
  readonly allTime: AllTime | null
}

export interface AllTime {
  /** Attempts that completed a job. */
  readonly completed: number
  /** Attempts that failed or lost their worker. */
  readonly failed: number
  /** How long all of them took together, in milliseconds. */
  readonly runMs: number
}

export async function readStats(store: Store, type: string | null, withAllTime: boolean): Promise<Stats> {
  const now = await store.now()
  const sinceMinute = Math.floor(now / MINUTE) - WINDOW_MINUTES + 1
  const [all, ready, paused, activity, ever] = await Promise.all([
    store.counts(type),
    store.oldestReady(type),
    store.paused(),
    store.activity({ sinceMinute, type }),
    withAllTime ? store.activity({ sinceMinute: 0, type }) : null,
  ])
  const byType = type === null ? all : new Map([[type, all.get(type) ?? emptyCounts()]])
  const ages = [...byType.keys()].flatMap((name) => {
    const readyAt = ready.get(name)
    return readyAt === undefined ? [] : [[name, Math.max(0, now - readyAt)] as const]
  })
  const oldestReady = oldestOf(ages, paused)
  const { enqueued, completed, failed, dead, waits, runs } = activity
  return {
    counts: sumCounts(byType.values()),
    byType: Object.fromEntries(byType),
    oldestReadyMs: oldestReady?.ms ?? null,
    oldestReady,
    oldestReadyMsByType: Object.fromEntries(ages),
    throughput: { windowMs: WINDOW_MINUTES * MINUTE, enqueued, completed, failed, dead },
    latency: { wait: percentiles(waits), run: percentiles(runs) },
    allTime: ever && { completed: ever.completed, failed: ever.failed, runMs: ever.runMs },
  }
}

/** A pause is meant: what waits because of it is not late. */
function oldestOf(ages: readonly (readonly [type: string, ms: number])[], paused: Paused): OldestReady | null {
  let oldest: OldestReady | null = null
  for (const [type, ms] of ages) {
    if (paused.queue || paused.types.has(type) || (oldest && oldest.ms >= ms)) continue
    oldest = { type, ms }
  }
  return oldest
}

export function sumCounts(all: Iterable<StatusCounts>): StatusCounts {
  const counts = emptyCounts()
  for (const one of all) for (const status of STATUSES) counts[status] += one[status]
  return counts
}

function percentiles(histogram: readonly number[]): Percentiles {
  return { p50: percentile(histogram, 0.5), p95: percentile(histogram, 0.95), p99: percentile(histogram, 0.99) }
}
