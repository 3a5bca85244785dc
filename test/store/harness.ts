/** The interface of a store under test in the conformance suite. */
import type { Store } from '../../server/store/store.ts'
import type { Defaults } from '../../shared/settings/settings.ts'
import type { StatusCounts } from '../../shared/status.ts'
import type { TestClock } from '../support/test-clock.ts'

export interface OpenOptions {
  readonly clock?: TestClock
  readonly defaults?: Partial<Defaults>
}

export interface StoreHarness {
  readonly name: string
  /** A store on a new, empty database. The helpers below read the newest one. */
  open(options?: OpenOptions): Promise<Store>
  /** Another connection to the same database, with the same clock and defaults. */
  openAnother(store: Store): Promise<Store>
  /** By counting rows, not by a read of the store. Without types that have no jobs. */
  countByStatus(): Promise<Map<string, StatusCounts>>
  /** All rows of a job as stored: two equal dumps prove that nothing changed. */
  dumpJob(id: string): Promise<Record<string, unknown>>
  /** Row counts of all job tables, to prove that a removal leaves no rows behind. */
  countRows(): Promise<Record<string, number>>
  /** Closes every store that was opened and removes its database. */
  cleanup(): Promise<void>
}
