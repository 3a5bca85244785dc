/** Backend of a `tq`: the application's SQLite file or a queue by its address. */

import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import { STATUSES } from '../../../shared/status.ts'
import { taskStatus } from '../../../shared/vocabulary.ts'
import type { QueueStats } from './tq-interface.ts'

export interface TqBackend<Stats> {
  /** Resolves when the queue is open. */
  readonly queue: Promise<Queue>
  /** Reads are cheap: no network. */
  readonly isLocal: boolean
  add(input: EnqueueInput): EnqueueResult | Promise<EnqueueResult>
  stats(): Stats
  /** Resolves when every `add` so far is stored; rejects when one failed. */
  flush(): Promise<void>
  /** Called after the last `add`. */
  close(): Promise<void>
}

/** Counts by the status names of the task API. */
export function toQueueStats(byType: Iterable<readonly [string, StatusCounts]>): QueueStats {
  const total = emptyTaskCounts()
  const types: [string, ReturnType<typeof emptyTaskCounts>][] = []
  for (const [type, counts] of byType) {
    const tasks = emptyTaskCounts()
    for (const status of STATUSES) {
      tasks[taskStatus[status]] += counts[status]
      total[taskStatus[status]] += counts[status]
    }
    types.push([type, tasks])
  }
  return { ...total, byType: Object.fromEntries(types) }
}

export function emptyTaskCounts() {
  return { 'to-do': 0, 'in-progress': 0, success: 0, failed: 0 }
}
