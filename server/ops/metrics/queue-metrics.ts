/** Metrics of the queue: levels, which are the same on every node, and what this process did. */
import { SECOND } from '../../../shared/limits.ts'
import { emptyCounts, STATUSES, type StatusCounts } from '../../../shared/status.ts'
import { type EngineMetrics, type Levels, MAX_TYPES, OTHER_TYPES, type TypeNumbers } from '../../engine/metrics.ts'
import type { Exposition, Sample } from './exposition.ts'

export function writeLevels(out: Exposition, levels: Levels): void {
  const { counts, oldestReadyMs } = folded(levels)
  out.gauge(
    'millrace_jobs',
    'Jobs in the queue, exact; the same on every node.',
    [...counts].flatMap(([type, ofType]) => STATUSES.map((status): Sample => [{ type, status }, ofType[status]])),
  )
  out.gauge(
    'millrace_oldest_ready_job_age_seconds',
    'How long the oldest job that could be claimed has been ready; 0 when there is none or its type is paused. The same on every node.',
    [...counts.keys()].map((type): Sample => [{ type }, (oldestReadyMs.get(type) ?? 0) / SECOND]),
  )
}

/** The largest types keep their names. */
function folded({ counts, oldestReadyMs }: Levels): Levels {
  if (counts.size <= MAX_TYPES) return { counts, oldestReadyMs }
  const size = (one: StatusCounts) => STATUSES.reduce((sum, status) => sum + one[status], 0)
  const largest = [...counts].sort(([, a], [, b]) => size(b) - size(a)).slice(0, MAX_TYPES)
  const named = new Set(largest.map(([type]) => type).filter((type) => type !== OTHER_TYPES))
  const sums = new Map<string, StatusCounts>()
  const ages = new Map<string, number>()
  for (const [type, ofType] of counts) {
    const label = named.has(type) ? type : OTHER_TYPES
    const sum = sums.get(label) ?? emptyCounts()
    sums.set(label, sum)
    for (const status of STATUSES) sum[status] += ofType[status]
    ages.set(label, Math.max(ages.get(label) ?? 0, oldestReadyMs.get(type) ?? 0))
  }
  return { counts: sums, oldestReadyMs: ages }
}

type Counted = 'enqueued' | 'claimed' | 'completed' | 'failed' | 'dead'

const COUNTERS: readonly (readonly [key: Counted, name: string, help: string])[] = [
  ['enqueued', 'millrace_jobs_enqueued_total', 'Jobs that this process stored; a duplicate is none.'],
  ['claimed', 'millrace_jobs_claimed_total', 'Claims that this process handed out, one per attempt.'],
  ['completed', 'millrace_jobs_completed_total', 'Jobs whose completion this process recorded.'],
  ['failed', 'millrace_attempts_failed_total', 'Attempts that failed or crashed, recorded by this process.'],
  ['dead', 'millrace_jobs_dead_total', 'Jobs that failed for good, recorded by this process.'],
]

export function writeDone(out: Exposition, { types, commitSeconds, commitOperations }: EngineMetrics): void {
  const each = <Value>(value: (numbers: TypeNumbers) => Value) =>
    [...types].map(([type, numbers]): readonly [{ type: string }, Value] => [{ type }, value(numbers)])
  for (const [key, name, help] of COUNTERS)
    out.counter(
      name,
      help,
      each((numbers) => numbers[key]),
    )
  out.histogram(
    'millrace_job_wait_seconds',
    'From ready to claimed, of the claims that this process handed out.',
    each(({ wait }) => wait),
  )
  out.histogram(
    'millrace_job_run_seconds',
    'From claimed to settled, of the attempts whose end this process recorded.',
    each(({ run }) => run),
  )
  out.histogram('millrace_commit_duration_seconds', 'How long commits of this process took.', [[{}, commitSeconds]])
  out.histogram('millrace_commit_operations', 'Operations that shared a commit of this process.', [
    [{}, commitOperations],
  ])
}
