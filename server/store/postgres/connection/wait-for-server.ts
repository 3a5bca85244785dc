/** Waits for a PostgreSQL server that is not running yet, for a bounded time. */
import type { Clock } from '../../../base/clock.ts'
import { ServerUnavailable } from './open-errors.ts'

export interface WaitOptions {
  /** How long to retry; 0: one attempt. */
  readonly waitMs: number
  readonly clock: Clock
  readonly random?: () => number
  /** Called after each failed attempt. */
  readonly onWait?: (message: string) => void
}

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5_000

export async function waitForServer<Opened>(open: () => Promise<Opened>, options: WaitOptions): Promise<Opened> {
  const { waitMs, clock, random = Math.random, onWait } = options
  const startedAt = clock.monotonic()
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)) {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof ServerUnavailable) || waitMs === 0) throw error
      const leftMs = startedAt + waitMs - clock.monotonic()
      if (leftMs <= 0) {
        const failed = `PostgreSQL at ${error.place} could not be reached for ${inSeconds(waitMs)} s`
        throw new Error(`${failed} (${error.reason}); start it, or check DATABASE_URL.`, { cause: error })
      }
      // Jitter, so that nodes which were started together do not all retry at the same time.
      const nextMs = Math.min(leftMs, delayMs * (0.5 + random() / 2))
      const when = `trying again in ${inSeconds(nextMs)} s, for ${inSeconds(leftMs)} s more`
      onWait?.(`Waiting for PostgreSQL at ${error.place} (${error.reason}); ${when}.`)
      await new Promise<void>((resolve) => void clock.after(nextMs, resolve, true))
    }
  }
}

function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)
}
