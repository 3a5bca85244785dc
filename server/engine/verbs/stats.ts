/** Queue statistics: exact counts, the age of the oldest ready job, throughput and latency. */

import { MINUTE } from '../../../shared/limits.ts'
import { percentile } from '../../../shared/stats/histogram.ts'
import type { OldestReady, Percentiles, Stats } from '../../../shared/stats/stats.ts'
import { emptyCounts, STATUSES, type StatusCounts } from '../../../shared/status.ts'
import type { Paused, Store } from '../../store/store.ts'

const WINDOW_MINUTES = 15

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

/** Paused types are excluded: their jobs wait on purpose. */
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
