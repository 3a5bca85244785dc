/** Tells the log of trouble that no caller waits for; of an outage now and then, because everything fails in one. */
import type { Logger } from 'pino'
import { QueueError } from '../../shared/errors.ts'
import type { Clock } from '../base/clock.ts'

const OUTAGE_EVERY_MS = 10_000

export function backgroundReport(log: Logger, clock: Clock): (error: unknown) => void {
  let silentUntil = Number.NEGATIVE_INFINITY
  return (error) => {
    const isOutage = error instanceof QueueError && error.code === 'BUSY'
    if (!isOutage) log.error({ err: error }, 'trouble in the background')
    else if (clock.monotonic() >= silentUntil) {
      silentUntil = clock.monotonic() + OUTAGE_EVERY_MS
      log.warn({ err: error }, 'the database is out of reach; trying until it is back')
    }
  }
}
