/** What every group of reads is made with. */
import type { Pool } from 'pg'
import type { Defaults } from '../../../../shared/settings.ts'
import type { StoreTimeSource } from '../connection/clock.ts'

export interface ReadOptions {
  /** The pool; throws once the store is closed. */
  readonly open: () => Pool
  readonly time: StoreTimeSource
  readonly defaults: Defaults
  /** How long a list may look for its jobs before it returns what it has. */
  readonly searchBudgetMs: number
}
