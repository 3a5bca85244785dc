/** Queue metrics: gauges that are equal on every node, and counters of this process. */
import { SECOND } from '../../../shared/limits.ts'
import { emptyCounts, STATUSES, type StatusCounts } from '../../../shared/status.ts'
import {
  type EngineMetrics,
  type Levels,
  MAX_SCHEDULES,
  MAX_TYPES,
  OTHER_TYPES,
  type TypeNumbers,
} from '../../engine/metrics.ts'
import type { Exposition, Sample } from './exposition.ts'

export function writeGauges(out: Exposition, levels: Levels): void {
  const { counts, oldestReadyMs } = foldSmallTypes(levels)
  out.gauge(
    'millrace_jobs',
    'Exact number of jobs; the same on every node.',
    [...counts].flatMap(([type, ofType]) => STATUSES.map((status): Sample => [{ type, status }, ofType[status]])),
  )
  out.gauge(
    'millrace_oldest_ready_job_age_seconds',
    'Age of the oldest job that is ready to be claimed; 0 without one or when its type is paused. The same on every node.',
    [...counts.keys()].map((type): Sample => [{ type }, (oldestReadyMs.get(type) ?? 0) / SECOND]),
  )
  writeGroups(out, levels)
}

export function writeSchedules(out: Exposition, { schedules }: Levels): void {
  out.gauge(
    'millrace_schedule_last_success_timestamp_seconds',
    `When a job of the schedule last completed, before the first: when it was created. At most ${MAX_SCHEDULES} schedules, by name.`,
    schedules.map(
      ({ name, lastSuccessAt, createdAt }): Sample => [{ schedule: name }, (lastSuccessAt ?? createdAt) / SECOND],
    ),
  )
  out.gauge(
    'millrace_schedule_next_run_timestamp_seconds',
    'When the next job of the schedule is enqueued; absent while it is paused or has ended.',
    schedules.flatMap(({ name, nextRunAt }): Sample[] =>
      nextRunAt === null ? [] : [[{ schedule: name }, nextRunAt / SECOND]],
    ),
  )
}

/** By the name of the group, never by key: the number of keys has no bound. */
function writeGroups(out: Exposition, { groups }: Levels): void {
  const all = foldSmallGroups(groups)
  const statuses = ['pending', 'processing', 'blocked'] as const
  out.gauge(
    'millrace_group_jobs',
    'Exact number of unfinished jobs with a key, by group; the same on every node.',
    all.flatMap((row) => statuses.map((status): Sample => [{ group: row.name, status }, row[status]])),
  )
  out.gauge(
    'millrace_group_keys',
    'Keys with unfinished jobs, by group; the same on every node.',
    all.map(({ name, keys }): Sample => [{ group: name }, keys]),
  )
}

/** Merges all but the groups with the most keys into one label. */
function foldSmallGroups(groups: Levels['groups']): Levels['groups'] {
  if (groups.length <= MAX_TYPES) return groups
  const bySize = [...groups].filter(({ name }) => name !== OTHER_TYPES).sort((a, b) => b.keys - a.keys)
  const named = bySize.slice(0, MAX_TYPES)
  const others = groups.filter((group) => !named.includes(group))
  const sum = (key: 'keys' | 'pending' | 'processing' | 'blocked') => others.reduce((all, row) => all + row[key], 0)
  const [keys, pending, processing, blocked] = [sum('keys'), sum('pending'), sum('processing'), sum('blocked')]
  return [...named, { name: OTHER_TYPES, keys, pending, processing, blocked }]
}

type TypeLevels = Pick<Levels, 'counts' | 'oldestReadyMs'>

/** Merges all but the largest types into one label. */
function foldSmallTypes({ counts, oldestReadyMs }: TypeLevels): TypeLevels {
  if (counts.size <= MAX_TYPES) return { counts, oldestReadyMs }
  const size = (ofType: StatusCounts) => STATUSES.reduce((sum, status) => sum + ofType[status], 0)
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
  ['enqueued', 'millrace_jobs_enqueued_total', 'Jobs stored by this process, without duplicates.'],
  ['claimed', 'millrace_jobs_claimed_total', 'Jobs claimed through this process, one per attempt.'],
  ['completed', 'millrace_jobs_completed_total', 'Completed jobs, recorded by this process.'],
  ['failed', 'millrace_attempts_failed_total', 'Failed and crashed attempts, recorded by this process.'],
  ['dead', 'millrace_jobs_dead_total', 'Jobs that failed permanently, recorded by this process.'],
]

export function writeCounters(out: Exposition, { types, commitSeconds, commitOperations }: EngineMetrics): void {
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
    'Time from ready to claimed, for claims through this process.',
    each(({ wait }) => wait),
  )
  out.histogram(
    'millrace_job_run_seconds',
    'Time from claimed to settled, for attempts settled through this process.',
    each(({ run }) => run),
  )
  out.histogram('millrace_commit_duration_seconds', 'Duration of commits of this process.', [[{}, commitSeconds]])
  out.histogram('millrace_commit_operations', 'Operations per commit of this process.', [[{}, commitOperations]])
}
