/** What a queue can do, wherever it is: in this process on a file or on PostgreSQL (an Engine is one), or behind a server. */
import type { Observing } from '../engine/observe.ts'
import type { Operating } from '../engine/operate.ts'
import type { Producing } from '../engine/produce.ts'
import type { Tokens } from '../engine/tokens.ts'
import type { Working } from '../engine/work.ts'

export type { JobOutcome } from '../engine/results.ts'
export type { ClaimTiming, SettleOutcome } from '../engine/work.ts'

export interface Address {
  readonly url: string
  readonly token?: string | undefined
}

export interface Queue extends Producing, Working, Observing, Tokens, Omit<Operating, 'audit'> {
  /** Where another thread or process finds the same queue; null when it ends with this process. */
  readonly address: Address | null
  close(): Promise<void>
}
