/** Options shared by all groups of reads. */
import type { Pool } from 'pg'
import type { Defaults } from '../../../../shared/settings/settings.ts'
import type { StoreTimeSource } from '../connection/clock.ts'

export interface ReadOptions {
  /** The pool; throws once the store is closed. */
  readonly open: () => Pool
  readonly time: StoreTimeSource
  readonly defaults: Defaults
  /** Maximum search time of a list before it returns a partial page. */
  readonly searchBudgetMs: number
}
