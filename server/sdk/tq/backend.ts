/** Where the jobs of a `tq` live. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import { STATUSES } from '../../../shared/status.ts'
import { taskStatus } from '../../../shared/vocabulary.ts'
import type { Queue } from '../../queue/queue.ts'
import type { QueueStats } from './tq-interface.ts'

export interface Home<Answer> {
  /** When it is open. */
  readonly queue: Promise<Queue>
  /** Looking at it costs next to nothing. */
  readonly isNear: boolean
  add(input: EnqueueInput): EnqueueResult | Promise<EnqueueResult>
  stats(): Answer
  /** Every `add` so far is stored; rejects with what was not. */
  flush(): Promise<void>
  /** After the last `add`. */
  close(): Promise<void>
}

/** In the words of the specification. */
export function toQueueStats(byType: Iterable<readonly [string, StatusCounts]>): QueueStats {
  const total = noTasks()
  const types: [string, ReturnType<typeof noTasks>][] = []
  for (const [type, counts] of byType) {
    const tasks = noTasks()
    for (const status of STATUSES) {
      tasks[taskStatus[status]] += counts[status]
      total[taskStatus[status]] += counts[status]
    }
    types.push([type, tasks])
  }
  return { ...total, byType: Object.fromEntries(types) }
}

export function noTasks() {
  return { 'to-do': 0, 'in-progress': 0, success: 0, failed: 0 }
}
