/** Logs errors of background tasks; during a database outage only every 10 s. */
import type { Logger } from 'pino'
import { QueueError } from '../../shared/errors.ts'
import type { Clock } from '../base/clock.ts'

const OUTAGE_EVERY_MS = 10_000

export function backgroundReport(log: Logger, clock: Clock): (error: unknown) => void {
  let mutedUntil = Number.NEGATIVE_INFINITY
  return (error) => {
    const isOutage = error instanceof QueueError && error.code === 'BUSY'
    if (!isOutage) log.error({ err: error }, 'background task failed')
    else if (clock.monotonic() >= mutedUntil) {
      mutedUntil = clock.monotonic() + OUTAGE_EVERY_MS
      log.warn({ err: error }, 'database unreachable; retrying')
    }
  }
}
