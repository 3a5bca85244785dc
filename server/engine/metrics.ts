/** Metrics of this engine since its start: counters by type, and durations of its commits. */
import { SECOND } from '../../shared/limits.ts'
import type { StatusCounts } from '../../shared/status.ts'
import type { GroupTotals } from '../store/records.ts'
import type { StoredSchedule } from '../store/rows/schedule-rows.ts'
import type { Commit, Store } from '../store/store.ts'
import { Buckets } from './buckets.ts'

/** Number of types with their own counters; further types share the counters of `other`. */
export const MAX_TYPES = 200
export const OTHER_TYPES = 'other'

const JOB_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_800, 3_600]
const COMMIT_SECONDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const COMMIT_OPERATIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export interface TypeNumbers {
  enqueued: number
  claimed: number
  completed: number
  /** Failed attempts. */
  failed: number
  /** Jobs that failed permanently. */
  dead: number
  /** From ready to claimed, and from claimed to settled, in seconds. */
  readonly wait: Buckets
  readonly run: Buckets
}

/** Schedules with their own gauges, in the order of their names. */
export const MAX_SCHEDULES = 500

/** Gauges of the whole queue, equal on every node. */
export interface Levels {
  readonly schedules: readonly Pick<StoredSchedule, 'name' | 'lastSuccessAt' | 'nextRunAt' | 'createdAt'>[]
  readonly counts: ReadonlyMap<string, StatusCounts>
  /** Age of the oldest ready job of each type that is not paused. */
  readonly oldestReadyMs: ReadonlyMap<string, number>
  /** Exact numbers of each group with unfinished jobs. */
  readonly groups: readonly GroupTotals[]
}

export class EngineMetrics {
  readonly types = new Map<string, TypeNumbers>()
  readonly commitSeconds = new Buckets(COMMIT_SECONDS)
  readonly commitOperations = new Buckets(COMMIT_OPERATIONS)

  /** A change without a measure, such as a bulk undo that restores a failed job, is not counted. */
  committed({ changes, measures }: Commit, operations: number, elapsedMs: number): void {
    this.commitSeconds.observe(elapsedMs / SECOND)
    this.commitOperations.observe(operations)
    for (let index = 0; index < changes.length; index++) {
      const change = changes[index]
      const measure = measures[index]
      if (!change || (change.from !== null && measure === undefined)) continue
      const numbers = this.of(change.type)
      if (change.from === null) numbers.enqueued += 1
      if (measure?.waitMs !== undefined) {
        numbers.claimed += 1
        numbers.wait.observe(Math.max(0, measure.waitMs) / SECOND)
      }
      if (measure?.runMs === undefined) continue
      numbers.run.observe(Math.max(0, measure.runMs) / SECOND)
      if (measure.attemptFailed) numbers.failed += 1
      if (change.to === 'completed') numbers.completed += 1
      if (change.to === 'failed') numbers.dead += 1
    }
  }

  private of(type: string): TypeNumbers {
    const known = this.types.get(type)
    if (known) return known
    if (this.types.size >= MAX_TYPES && type !== OTHER_TYPES) return this.of(OTHER_TYPES)
    const wait = new Buckets(JOB_SECONDS)
    const run = new Buckets(JOB_SECONDS)
    const numbers = { enqueued: 0, claimed: 0, completed: 0, failed: 0, dead: 0, wait, run }
    this.types.set(type, numbers)
    return numbers
  }
}

export async function readLevels(
  store: Pick<Store, 'now' | 'counts' | 'oldestReady' | 'paused' | 'groupTotals' | 'schedules'>,
): Promise<Levels> {
  const [now, counts, oldest, paused, groups, schedules] = await Promise.all([
    store.now(),
    store.counts(),
    store.oldestReady(),
    store.paused(),
    store.groupTotals(),
    store.schedules({ search: null, state: null, type: null, cursor: null, limit: MAX_SCHEDULES }),
  ])
  const open = [...oldest].filter(([type]) => !paused.queue && !paused.types.has(type))
  const oldestReadyMs = new Map(open.map(([type, at]) => [type, Math.max(0, now - at)]))
  return { groups, schedules, counts, oldestReadyMs }
}
