/** State of a key in words: what runs, what waits, and when the next job may start. */
import type { GroupKeyRow } from '../../../shared/groups/records.ts'
import { countdown } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'

export function runningText({ processing, effective }: GroupKeyRow): string {
  const { concurrency } = effective
  return concurrency === null ? formatNumber(processing) : `${formatNumber(processing)} of ${formatNumber(concurrency)}`
}

/** When the next blocked job becomes pending; null: none is blocked. */
export function nextText(row: GroupKeyRow, now: number): string | null {
  const { blocked, pending, processing, stopped, busyUntil, nextAt, effective } = row
  if (stopped !== null) return 'stopped by a failed job'
  if (effective.paused) return 'paused'
  if (blocked === 0) return null
  const isBusy = busyUntil !== null && busyUntil > now
  if (nextAt !== null)
    return `${isBusy ? 'busy; ' : ''}${nextAt <= now ? 'next now' : `next in about ${countdown(nextAt - now)}`}`
  const { concurrency, order } = effective
  if (concurrency !== null && pending + processing >= concurrency) {
    if (processing > 0) return 'next when one finishes'
    return pending > 0 ? 'next when one has run' : 'next now'
  }
  // A strict job that waits for its retry keeps its turn.
  if (order === 'strict' && pending + processing === 0) return 'next after the retry of the first'
  return pending > 0 ? 'next when a worker takes one' : 'next when one finishes'
}

/** In one sentence: `2 of 2 running; 1 ready; 318 blocked; next in about 40s`. */
export function stateText(row: GroupKeyRow, now: number): string {
  const { pending, blocked } = row
  return [
    `${runningText(row)} running`,
    ...(pending > 0 ? [`${formatNumber(pending)} ready`] : []),
    ...(blocked > 0 ? [`${formatNumber(blocked)} blocked`] : []),
    nextText(row, now),
  ]
    .filter((part) => part !== null)
    .join('; ')
}
