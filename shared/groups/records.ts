/** Records that the group verbs return. */
import type { GroupRules } from '../contracts/groups.ts'
import type { EffectiveGroupRules, KeyRules } from './rules.ts'

/** A group and its rules. */
export interface GroupRow {
  /** The name of the group. */
  readonly name: string
  /** The types whose jobs belong to it, in order of names. */
  readonly types: readonly string[]
  /** Rules declared in code. */
  readonly declared: GroupRules
  /** Rules overridden by operators. */
  readonly override: GroupRules
  /** The rules in force for keys without overrides. */
  readonly effective: EffectiveGroupRules
  /** Keys with unfinished jobs. */
  readonly keys: number
  /** Jobs that wait for a worker. */
  readonly pending: number
  /** Running jobs. */
  readonly processing: number
  /** Jobs that wait for another job of their key, or for its rate limit. */
  readonly blocked: number
}

/** One page of groups. */
export interface GroupPage {
  /** The groups, in order of names. */
  readonly groups: readonly GroupRow[]
  /** The cursor of the next page; null at the end. */
  readonly nextCursor: string | null
}

/** A key of a group. */
export interface GroupKeyRow {
  /** The name of the group. */
  readonly name: string
  /** The key. */
  readonly key: string
  /** Jobs of the key that wait for a worker. */
  readonly pending: number
  /** Running jobs of the key. */
  readonly processing: number
  /** Jobs of the key that wait for another one, or for the rate limit. */
  readonly blocked: number
  /** When the blocked job that is next in line became due; null: none is blocked. */
  readonly oldestBlockedAt: number | null
  /** When the next blocked job becomes pending without another event; null: an event has to happen first, or none is blocked. */
  readonly nextAt: number | null
  /** Until when nothing becomes pending because a handler threw GroupBusy; null: not now. */
  readonly busyUntil: number | null
  /** In strict order: the id of the job that has its turn, retries included; null: none has. */
  readonly turn: string | null
  /** The failed job that stopped the key, and when; null: the key is not stopped. */
  readonly stopped: { readonly jobId: string | null; readonly at: number } | null
  /** Rules of this key that operators have overridden. */
  readonly override: KeyRules
  /** The rules in force for the key. */
  readonly effective: EffectiveGroupRules
}

/** One page of the keys of a group. */
export interface GroupKeyPage {
  /** The keys, in the requested order. */
  readonly keys: readonly GroupKeyRow[]
  /** The cursor of the next page; null at the end. */
  readonly nextCursor: string | null
}
