/** The interface of a store under test in the conformance suite. */
import type { Store } from '../../server/store/store.ts'
import type { Defaults } from '../../shared/settings/settings.ts'
import type { Status, StatusCounts } from '../../shared/status.ts'
import type { TestClock } from '../support/test-clock.ts'

export interface OpenOptions {
  readonly clock?: TestClock
  readonly defaults?: Partial<Defaults>
}

/** The row of a key of a group, as stored. */
export interface KeyRow {
  readonly name: string
  readonly key: string
  readonly pending: number
  readonly processing: number
  readonly blocked: number
  readonly tat: number | null
  readonly busyUntil: number | null
  readonly wakeAt: number | null
  readonly turnSeq: number | null
  readonly stoppedAt: number | null
  /** As JSON. */
  readonly override: string | null
}

/** Jobs of a key in one status, by counting rows. */
export interface KeyCount {
  readonly name: string
  readonly key: string
  readonly status: Status
  readonly n: number
}

export interface StoreHarness {
  readonly name: string
  /** A store on a new, empty database. The helpers below read the newest one. */
  open(options?: OpenOptions): Promise<Store>
  /** Another connection to the same database, with the same clock and defaults. */
  openAnother(store: Store): Promise<Store>
  /** By counting rows, not by a read of the store. Without types that have no jobs. */
  countByStatus(): Promise<Map<string, StatusCounts>>
  /** Rows of keys in order of names and keys, and the unfinished jobs that they count. */
  keyRows(): Promise<{ readonly rows: readonly KeyRow[]; readonly jobs: readonly KeyCount[] }>
  /** All rows of a job as stored: two equal dumps prove that nothing changed. */
  dumpJob(id: string): Promise<Record<string, unknown>>
  /** Row counts of all job tables, to prove that a removal leaves no rows behind. */
  countRows(): Promise<Record<string, number>>
  /** Closes every store that was opened and removes its database. */
  cleanup(): Promise<void>
}
