/** Waits for a PostgreSQL that is not there yet, for a bounded time: machines are started together, and in any order. */
import type { Clock } from '../../../base/clock.ts'
import { NotThereYet } from './open-errors.ts'

export interface Patience {
  /** How long to go on trying; 0: once. */
  readonly waitMs: number
  readonly clock: Clock
  readonly random?: () => number
  /** Once per try that failed. */
  readonly onWait?: (message: string) => void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

export async function patiently<Opened>(open: () => Promise<Opened>, patience: Patience): Promise<Opened> {
  const { waitMs, clock, random = Math.random, onWait } = patience
  const startedAt = clock.monotonic()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof NotThereYet) || waitMs === 0) throw error
      const leftMs = startedAt + waitMs - clock.monotonic()
      if (leftMs <= 0) {
        const tried = `PostgreSQL at ${error.place} could not be reached for ${inSeconds(waitMs)} s`
        throw new Error(`${tried} (${error.reason}); start it, or check DATABASE_URL.`, { cause: error })
      }
      // Nodes that were started together do not all come at once.
      const nextMs = Math.min(leftMs, pauseMs * (0.5 + random() / 2))
      const when = `trying again in ${inSeconds(nextMs)} s, for ${inSeconds(leftMs)} s more`
      onWait?.(`Waiting for PostgreSQL at ${error.place} (${error.reason}); ${when}.`)
      await new Promise<void>((resolve) => void clock.after(nextMs, resolve, true))
    }
  }
}

function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)
}
