/** What happened to one type in a stretch of time, while it is being counted. */
import { emptyHistogram, type Histogram } from '../../../shared/histogram.ts'

export interface Tally {
  enqueued: number
  completed: number
  failed: number
  dead: number
  readonly waits: Histogram
  readonly runs: Histogram
  runMs: number
}

export function emptyTally(): Tally {
  return { enqueued: 0, completed: 0, failed: 0, dead: 0, waits: emptyHistogram(), runs: emptyHistogram(), runMs: 0 }
}
