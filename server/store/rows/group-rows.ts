/** Columns of the row of a key, and overrides of group rules as stored JSON. */
import type { GroupRules } from '../../../shared/contracts/groups.ts'
import type { KeyRules } from '../../../shared/groups/rules.ts'
import type { KeyState } from '../decisions/group-slots.ts'
import { columnsOf, type RowOf } from './tables.ts'

export const GROUP = columnsOf('jobGroups', [
  ...([
    'name',
    'key',
    'pending',
    'processing',
    'blocked',
    'tat',
    'busyUntil',
    'wakeAt',
    'turnSeq',
    'stoppedAt',
  ] as const),
  'override',
])
/** The row of a key. */
export type GroupRecord = RowOf<typeof GROUP>

/** The part of the row that decisions read. */
export function stateOfKey(record: Omit<GroupRecord, 'override' | 'wakeAt'>): KeyState {
  const { pending, processing, blocked, tat, busyUntil, turnSeq, stoppedAt } = record
  return { pending, processing, blocked, tat, busyUntil, turnSeq, stoppedAt }
}

/** The row of the settings table that holds the overridden rules of all groups: one JSON object, by name of the group. */
export const GROUPS_SETTING = 'groups'

export type GroupOverrides = Readonly<Record<string, GroupRules>>

/** null or undefined: no group has overrides. Validated when it was written. */
export function parseGroupOverrides(json: string | null | undefined): GroupOverrides {
  return json === null || json === undefined ? {} : JSON.parse(json)
}

/** Validated when it was written. */
export function parseKeyRules(json: string | null): KeyRules | null {
  return json === null ? null : JSON.parse(json)
}

/** The JSON to store; null: nothing is overridden any more. */
export function encodeOverride(rules: GroupRules | GroupOverrides): string | null {
  return Object.keys(rules).length === 0 ? null : JSON.stringify(rules)
}
