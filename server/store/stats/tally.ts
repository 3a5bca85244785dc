/** Sums of what happened to the jobs of one type within a minute. */
import { bucketOf, emptyHistogram, type Histogram } from '../../../shared/stats/histogram.ts'
import type { Change, Measure } from '../store.ts'

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

/** Whether a change counts in a tally: new jobs do, and changes that end a wait or an attempt. */
export function isTallied({ from, to }: Change, measure: Measure | undefined): boolean {
  return from !== to && (from === null || measure !== undefined)
}

export function addToTally(tally: Tally, { from, to }: Change, measure: Measure | undefined): void {
  if (from === null) tally.enqueued += 1
  if (measure?.waitMs !== undefined) increment(tally.waits, measure.waitMs)
  if (measure?.runMs === undefined) return
  increment(tally.runs, measure.runMs)
  tally.runMs += Math.max(0, Math.round(measure.ownMs ?? measure.runMs))
  if (measure.attemptFailed) tally.failed += 1
  if (to === 'completed') tally.completed += 1
  if (to === 'failed') tally.dead += 1
}

function increment(histogram: Histogram, durationMs: number): void {
  const bucket = bucketOf(Math.max(0, durationMs))
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}
