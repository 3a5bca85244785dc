/** What a store must offer to be put through the conformance suite. */
import type { Store } from '../../server/store/store.ts'
import type { Defaults } from '../../shared/settings.ts'
import type { StatusCounts } from '../../shared/status.ts'
import type { TestClock } from '../support/test-clock.ts'

export interface OpenOptions {
  readonly clock?: TestClock
  readonly defaults?: Partial<Defaults>
}

export interface StoreHarness {
  readonly name: string
  /** A store on a new, empty database; the helpers below look at the newest one. */
  open(options?: OpenOptions): Promise<Store>
  /** Another connection to the same database, with the same clock and defaults. */
  openAnother(store: Store): Promise<Store>
  /** By counting rows, not by asking the store. Types without jobs are left out. */
  countByStatus(): Promise<Map<string, StatusCounts>>
  /** The row and everything that hangs on it, as stored: two equal dumps prove that nothing changed. */
  dumpJob(id: string): Promise<Record<string, unknown>>
  /** Rows of every table that belongs to jobs, to prove that a removal leaves nothing behind. */
  countRows(): Promise<Record<string, number>>
  /** Closes every store that was opened and removes its database. */
  cleanup(): Promise<void>
}
