/** All reads of a PostgreSQL store. */
import type { Reads } from '../store.ts'
import { createControlReads } from './read-control.ts'
import { createFailureReads } from './read-failures.ts'
import { createJobReads } from './read-jobs.ts'
import { createListReads } from './read-list.ts'
import type { ReadOptions } from './read-options.ts'
import { createStatsReads } from './read-stats.ts'

export function createReads(options: ReadOptions): Reads {
  return {
    ...createJobReads(options),
    ...createListReads(options),
    ...createStatsReads(options),
    ...createFailureReads(options),
    ...createControlReads(options),
  }
}
