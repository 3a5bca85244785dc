/** Backlog, throughput and failure rate of a type over the last hour, from counts per minute. */
import { MINUTE } from '../../../shared/limits.ts'
import type { StatusCounts } from '../../../shared/status.ts'

export interface MinuteCounts {
  readonly minute: number
  readonly type: string
  readonly enqueued: number
  readonly completed: number
  /** Failed attempts. */
  readonly failed: number
  /** Jobs that failed for good. */
  readonly dead: number
}

/** Recorded backlog. A missing minute is unknown; a missing type had no jobs. */
export interface BacklogHistory {
  readonly minutes: readonly number[]
  readonly types: Readonly<Record<string, { readonly backlog: readonly number[] }>>
}

export interface Flow {
  /** Unfinished jobs at the end of each minute, oldest first. null: not recorded. The last value is the current one. */
  readonly backlog: readonly (number | null)[]
  /** Completed per minute, oldest first. */
  readonly completed: readonly number[]
  /** Average over the last 15 minutes. */
  readonly completedPerMinute: number
  /** Failed attempts divided by all finished attempts; null: none finished. */
  readonly failureRate: number | null
  /** Failed attempts in the last hour. */
  readonly failed: number
}

export const FLOW_MINUTES = 60
const RATE_MINUTES = 15

export function backlogOf({ scheduled, blocked, pending, processing, retrying }: StatusCounts): number {
  return scheduled + blocked + pending + processing + retrying
}

export interface FlowInput {
  /** Rows of this type only, at most one per minute. */
  readonly minutes: readonly MinuteCounts[]
  readonly history: BacklogHistory
  readonly now: number
  readonly backlogNow: number
}

export function flowOf(type: string, { minutes, history, now, backlogNow }: FlowInput): Flow {
  const last = Math.floor(now / MINUTE)
  const completed = new Array<number>(FLOW_MINUTES).fill(0)
  let [sum, failed] = [0, 0]
  for (const row of minutes) {
    const index = FLOW_MINUTES - 1 - (last - row.minute)
    if (index < 0 || index >= FLOW_MINUTES) continue
    completed[index] = row.completed
    sum += row.completed
    failed += row.failed
  }
  const recent = completed.slice(-RATE_MINUTES).reduce((total, n) => total + n, 0)
  return {
    backlog: backlogSeries(history.minutes, history.types[type]?.backlog ?? [], last, backlogNow),
    completed,
    completedPerMinute: recent / RATE_MINUTES,
    failureRate: sum + failed === 0 ? null : failed / (sum + failed),
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
