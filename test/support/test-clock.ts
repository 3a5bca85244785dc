/** The clock of tests: it also waits for databases that have yet to answer. */
import { VirtualClock } from '../../server/sdk/testing/virtual-clock.ts'

/** An arbitrary fixed instant, five seconds into a minute so that minute totals do not fall on an edge. */
export const START = Date.UTC(2026, 4, 17, 9, 30, 5)

/** Enough turns for a timer → commit → event → timer chain; a chain that needs more is a bug worth seeing. */
const TURNS = 6
export class TestClock extends VirtualClock {
  constructor(start: number = START) {
    super(start, settle)
  }
}

/** Calls that a database has not answered yet; see probe-store.ts. */
export const underWay = { calls: 0 }

/** Lets promises, immediates and answers of databases that are under way finish, without time passing on any test clock. */
export async function settle(): Promise<void> {
  let quiet = 0
  while (quiet < TURNS) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    quiet = underWay.calls > 0 ? 0 : quiet + 1
  }
}
