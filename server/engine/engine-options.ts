/** Options of an engine. */
import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import type { GroupCommitLimits } from './commit/group-commit.ts'

export interface EngineOptions {
  readonly store: Store
  readonly clock?: Clock
  readonly random?: () => number
  readonly maxPayloadBytes?: number
  readonly limits?: Partial<GroupCommitLimits>
  /** Take over leadership at the start, even if another lease is still valid: for a server that owns its database. */
  readonly takeOver?: boolean
  /** Where another thread or process finds the same queue. */
  readonly url?: string
  /** Errors of background tasks. */
  readonly onError?: (error: unknown) => void
  /** Messages that are not errors: jobs whose lease ended, for example. Default: none are reported. */
  readonly onWarning?: (message: string) => void
  /** Called when the store has failed permanently: the process should exit. */
  readonly onFatal?: (error: Error) => void
}
