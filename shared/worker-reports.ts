/** Whether a worker still reports: what the dashboard and the command line show of one that has stopped. */
import { SECOND } from './limits.ts'

/** Longer than this between two reports only where a worker was given a longer `beatMs`. */
export const REPORT_EVERY_MS = 10 * SECOND
/** Two reports are missing; the rest is for the way of the third and for the age of what is shown. */
export const STALE_MS = 30 * SECOND
export const GONE_MS = 60 * SECOND

export type WorkerSigns = 'reporting' | 'stale' | 'gone'

export function signsOf({ seenAt }: { readonly seenAt: number }, now: number): WorkerSigns {
  const age = now - seenAt
  if (age >= GONE_MS) return 'gone'
  return age >= STALE_MS ? 'stale' : 'reporting'
}
