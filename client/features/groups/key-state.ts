/** State of a key as text: what runs, what waits, and when the next job may start. */
import type { GroupKeyRow } from '../../../shared/groups/records.ts'
import { countdown } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'

export function runningText({ processing, effective }: GroupKeyRow): string {
  const { concurrency } = effective
  return concurrency === null ? formatNumber(processing) : `${formatNumber(processing)} of ${formatNumber(concurrency)}`
}

/** Why nothing of the key becomes pending, or when the next blocked job does; null: none is blocked. */
export interface NextJob {
  readonly isHeld: boolean
  readonly text: string
}

export function nextOf(row: GroupKeyRow, now: number): NextJob | null {
  const { blocked, stopped, nextAt, effective } = row
  if (stopped !== null) return { isHeld: true, text: 'stopped by a failed job' }
  if (effective.paused) return { isHeld: true, text: 'paused' }
  if (blocked === 0) return null
  const isDue = nextAt === null || nextAt <= now
  return { isHeld: false, text: isDue ? conditionOf(row) : `in about ${countdown(nextAt - now)}` }
}

/** What has to happen before the next job becomes pending, without a time to wait for. */
function conditionOf({ pending, processing, nextAt, effective: { concurrency, order } }: GroupKeyRow): string {
  // A strict job that waits for its retry keeps its turn.
  if (order === 'strict' && pending + processing === 0) return 'after the retry of the first'
  if (concurrency !== null && pending + processing >= concurrency) {
    return processing > 0 ? 'when one finishes' : 'when one has run'
  }
  // Full window, or all tokens of the rate belong to pending jobs.
  return nextAt === null && pending > 0 ? 'when a worker takes one' : 'now'
}

/** In one sentence: `2 of 2 running; 1 ready; 318 blocked; next in about 40s`. */
export function stateText(row: GroupKeyRow, now: number): string {
  const { pending, blocked } = row
  const next = nextOf(row, now)
  const parts = [
    `${runningText(row)} running`,
    ...(pending > 0 ? [`${formatNumber(pending)} ready`] : []),
    ...(blocked > 0 ? [`${formatNumber(blocked)} blocked`] : []),
    ...(row.busyUntil !== null && row.busyUntil > now ? ['held back by GroupBusy'] : []),
    ...(next ? [next.isHeld ? next.text : `next ${next.text}`] : []),
  ]
  return parts.join('; ')
}
