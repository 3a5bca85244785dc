/** How the jobs of a type flowed in the last hour, from what is counted minute by minute. */
import { MINUTE } from '../../shared/limits.ts'
import type { StatusCounts } from '../../shared/status.ts'

export interface MinuteCounts {
  readonly minute: number
  readonly type: string
  readonly enqueued: number
  readonly completed: number
  readonly failed: number
  readonly dead: number
}

export interface Flow {
  /** Jobs that are not finished, minute by minute, oldest first; the last is now. */
  readonly backlog: readonly number[]
  /** Completed per minute, oldest first. */
  readonly done: readonly number[]
  /** Completed per minute over the last quarter of an hour. */
  readonly perMinute: number
  /** Of all attempts that ended; null when none did. */
  readonly failureRate: number | null
  readonly failed: number
}

export const FLOW_MINUTES = 60
const RATE_MINUTES = 15

export function backlogOf({ scheduled, pending, processing, retrying }: StatusCounts): number {
  return scheduled + pending + processing + retrying
}

/** Counted back from now by what came in and what was finished: operators' acts are not in it, so it is not exact. */
export function flowOf(minutes: readonly MinuteCounts[], now: number, backlogNow: number): Flow {
  const last = Math.floor(now / MINUTE)
  const done = new Array<number>(FLOW_MINUTES).fill(0)
  const net = new Array<number>(FLOW_MINUTES).fill(0)
  let [completed, failed] = [0, 0]
  for (const row of minutes) {
    const place = FLOW_MINUTES - 1 - (last - row.minute)
    if (place < 0 || place >= FLOW_MINUTES) continue
    done[place] = row.completed
    net[place] = row.enqueued - row.completed - row.dead
    completed += row.completed
    failed += row.failed
  }
  const backlog = new Array<number>(FLOW_MINUTES).fill(0)
  let depth = backlogNow
  for (let place = FLOW_MINUTES - 1; place >= 0; place--) {
    backlog[place] = Math.max(0, depth)
    depth -= net[place] ?? 0
  }
  const recent = done.slice(-RATE_MINUTES).reduce((sum, n) => sum + n, 0)
  return {
    backlog,
    done,
    perMinute: recent / RATE_MINUTES,
    failureRate: completed + failed === 0 ? null : failed / (completed + failed),
    failed,
  }
}
