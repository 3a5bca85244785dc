/** Liveness of a worker, from the time of its last heartbeat. */
import { SECOND } from '../limits.ts'

/** Default interval of heartbeats; workers with a longer `beatMs` report less often. */
export const REPORT_EVERY_MS = 10 * SECOND
/** Two heartbeats are missing; the rest covers the delay of the third and the age of the shown data. */
export const STALE_MS = 30 * SECOND
export const GONE_MS = 60 * SECOND

export type WorkerLiveness = 'reporting' | 'stale' | 'gone'

export function livenessOf({ seenAt }: { readonly seenAt: number }, now: number): WorkerLiveness {
  const age = now - seenAt
  if (age >= GONE_MS) return 'gone'
  return age >= STALE_MS ? 'stale' : 'reporting'
}
