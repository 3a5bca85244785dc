/** Rows that a store returns to the engine and that no caller sees. */
import type { Token } from '../../shared/contracts/tokens.ts'
import type { MinuteRow } from '../../shared/stats/stats.ts'
import type { TypeDepth } from './ops.ts'

/** Key of the row that holds the totals of trimmed minutes: one per type, without histograms. */
export const ALL_TIME_MINUTE = 0

/** Counters summed over a range of minutes. */
export interface Activity extends Omit<MinuteRow, 'minute' | 'type'> {
  /** Total duration of the attempts that ended. */
  readonly runMs: number
}

export interface DepthRow extends TypeDepth {
  readonly minute: number
}

export interface StoredToken extends Token {
  /** SHA-256 of the secret, hex. */
  readonly hash: string
}

export interface SessionRow {
  /** null: opened with AUTH_TOKEN; `proof` then identifies its value. */
  readonly tokenId: string | null
  readonly proof: string | null
  readonly seenAt: number
}
