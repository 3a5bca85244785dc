/** Backlog, throughput and failure rate of a type over the last hour, from counts per minute. */
import { MINUTE } from '../../../shared/limits.ts'
import type { StatusCounts } from '../../../shared/status.ts'

export interface MinuteCounts {
  readonly minute: number
  readonly type: string
  readonly enqueued: number
  readonly completed: number
  readonly failed: number
  readonly dead: number
}

/** Recorded backlog. A missing minute is unknown; a missing type had no jobs. */
export interface Depths {
  readonly minutes: readonly number[]
  readonly types: Readonly<Record<string, { readonly backlog: readonly number[] }>>
}

export interface Flow {
  /** Unfinished jobs at the end of each minute, oldest first. null: not recorded. The last value is the current one. */
  readonly backlog: readonly (number | null)[]
  /** Completed per minute, oldest first. */
  readonly done: readonly number[]
  /** Average over the last 15 minutes. */
  readonly perMinute: number
  /** Failed attempts divided by all finished attempts; null: none finished. */
  readonly failureRate: number | null
  readonly failed: number
}

export const FLOW_MINUTES = 60
const RATE_MINUTES = 15

export function backlogOf({ scheduled, pending, processing, retrying }: StatusCounts): number {
  return scheduled + pending + processing + retrying
}

export interface FlowInput {
  /** Rows of this type only, at most one per minute. */
  readonly minutes: readonly MinuteCounts[]
  readonly depths: Depths
  readonly now: number
  readonly backlogNow: number
}

export function flowOf(type: string, { minutes, depths, now, backlogNow }: FlowInput): Flow {
  const last = Math.floor(now / MINUTE)
  const done = new Array<number>(FLOW_MINUTES).fill(0)
  let [completed, failed] = [0, 0]
  for (const row of minutes) {
    const index = FLOW_MINUTES - 1 - (last - row.minute)
    if (index < 0 || index >= FLOW_MINUTES) continue
    done[index] = row.completed
    completed += row.completed
    failed += row.failed
  }
  const recent = done.slice(-RATE_MINUTES).reduce((sum, n) => sum + n, 0)
  return {
    backlog: backlogSeries(depths.minutes, depths.types[type]?.backlog ?? [], last, backlogNow),
    done,
    perMinute: recent / RATE_MINUTES,
    failureRate: completed + failed === 0 ? null : failed / (completed + failed),
    failed,
  }
}

function backlogSeries(
  minutes: readonly number[],
  recorded: readonly number[],
  last: number,
  backlogNow: number,
): readonly (number | null)[] {
  const series = new Array<number | null>(FLOW_MINUTES).fill(null)
  minutes.forEach((minute, row) => {
    const index = FLOW_MINUTES - 1 - (last - minute)
    if (index >= 0 && index < FLOW_MINUTES - 1) series[index] = recorded[row] ?? 0
  })
  series[FLOW_MINUTES - 1] = backlogNow
  return series
}
