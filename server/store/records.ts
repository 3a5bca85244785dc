/** Rows that a store returns to the engine and that no caller sees. */

import type { Token } from '../../shared/contracts/tokens.ts'
import type { KEY_SORTS } from '../../shared/groups/choices.ts'
import type { KeyRules } from '../../shared/groups/rules.ts'
import type { MinuteRow } from '../../shared/stats/stats.ts'
import type { KeyState } from './decisions/group-slots.ts'
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

/** Exact numbers of a group. */
export interface GroupTotals {
  readonly name: string
  /** Keys with unfinished jobs. */
  readonly keys: number
  readonly pending: number
  readonly processing: number
  readonly blocked: number
}

/** The row of a key. */
export interface StoredKey extends KeyState {
  readonly name: string
  readonly key: string
  readonly wakeAt: number | null
  readonly override: KeyRules
  /** When the blocked job that is next in line became due. */
  readonly oldestBlockedAt: number | null
  /** The id of the job that has its turn in strict order. */
  readonly turnId: string | null
}

/** Which keys of a group to read. */
export interface GroupKeysParams {
  readonly name: string
  /** Only keys with this text. */
  readonly search: string | null
  readonly sort: (typeof KEY_SORTS)[number]
  readonly limit: number
  readonly cursor: string | null
}

/** One page of the keys of a group. */
export interface StoredKeyPage {
  readonly rows: readonly StoredKey[]
  readonly nextCursor: string | null
}
