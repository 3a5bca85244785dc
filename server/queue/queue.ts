/** What a queue can do, wherever it is: in this process on a file or on PostgreSQL (an Engine is one), or behind a server. */

import type { Tokens } from '../engine/auth/tokens.ts'
import type { Observing } from '../engine/verbs/observe.ts'
import type { Operating } from '../engine/verbs/operate.ts'
import type { Producing } from '../engine/verbs/produce.ts'
import type { Working } from '../engine/verbs/work.ts'

export type { JobOutcome } from '../engine/claims/results.ts'
export type {
  HostTransaction,
  PostgresTransaction,
  SqliteTransaction,
  Transactional,
} from '../engine/verbs/enqueue-tx.ts'
export type { ClaimTiming, SettleOutcome } from '../engine/verbs/work.ts'

/** Where a queue can be reached. */
export interface Address {
  /** The address of the server or database. */
  readonly url: string
  /** The token for the server. */
  readonly token?: string | undefined
}

/** All verbs of a queue, wherever it is: in this process or behind a server. */
export interface Queue extends Producing, Working, Observing, Tokens, Omit<Operating, 'audit'> {
  /** Where another thread or process finds the same queue; null when it ends with this process. */
  readonly address: Address | null
  /** Closes the connection; a queue in this process finishes the writes under way first. */
  close(): Promise<void>
}
