/** Sums minute rows that the database has grouped by their histograms. */
import { decodeHistogram, type Histogram } from '../../../shared/stats/histogram.ts'
import type { Activity } from '../records.ts'
import { emptyTally } from './tally.ts'

/** The sums of `n` rows with these histograms, which are JSON text. */
export interface ActivityRecord {
  readonly enqueued: number
  readonly completed: number
  readonly failed: number
  readonly dead: number
  readonly waits: string
  readonly runs: string
  readonly runMs: number
  readonly n: number
}

export function sumActivity(records: readonly ActivityRecord[]): Activity {
  const sum = emptyTally()
  for (const { enqueued, completed, failed, dead, waits, runs, runMs, n } of records) {
    sum.enqueued += enqueued
    sum.completed += completed
    sum.failed += failed
    sum.dead += dead
    sum.runMs += runMs
    add(sum.waits, waits, n)
    add(sum.runs, runs, n)
  }
  return sum
}

function add(into: Histogram, json: string, times: number): void {
  decodeHistogram(json).forEach((count, bucket) => {
    into[bucket] = (into[bucket] ?? 0) + count * times
  })
}
