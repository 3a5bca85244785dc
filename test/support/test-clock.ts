/** Virtual clock of tests, which also waits for pending database calls. */
import { VirtualClock } from '../../server/sdk/testing/virtual-clock.ts'

/** An arbitrary fixed instant, five seconds into a minute so that minute totals do not fall on an edge. */
export const START = Date.UTC(2026, 4, 17, 9, 30, 5)

/** Enough turns for a timer → commit → event → timer chain. A longer chain is a bug. */
const TURNS = 6
export class TestClock extends VirtualClock {
  constructor(start: number = START) {
    super(start, settle)
  }
}

/** Pending database calls; see probe-store.ts. */
export const underWay = { calls: 0 }

/** Waits for promises, immediates and pending database calls, without advancing any test clock. */
export async function settle(): Promise<void> {
  let quiet = 0
  while (quiet < TURNS) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    quiet = underWay.calls > 0 ? 0 : quiet + 1
  }
}
