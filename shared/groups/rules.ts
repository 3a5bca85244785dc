/** Effective rules of a group: an override wins over what types declare, which wins over the defaults. */
import type { GroupOrder, GroupRules, OnDead, WhenFull } from '../contracts/groups.ts'
import { RESERVED_PREFIX } from '../reserved-types.ts'
import type { KEY_RULES } from './choices.ts'

/** Jobs of a key that are ready for workers at a time, unless the group sets another number. */
const DEFAULT_WINDOW = 4

/** The group of jobs that schedules enqueue; its keys are the names of the schedules. */
export const SCHEDULES_GROUP = `${RESERVED_PREFIX}schedules`

const SCHEDULE_RULES: GroupRules = { concurrency: 1, window: 1 }

/** The rules in force for a key. */
export interface EffectiveGroupRules {
  /** Jobs of the key that may be pending or running at the same time; null: no limit. */
  readonly concurrency: number | null
  /** Jobs of the key that may start per time; null: no limit. */
  readonly rate: { readonly limit: number; readonly perMs: number; readonly burst: number } | null
  /** Jobs of the key that may be pending at the same time. */
  readonly window: number
  /** Order of the jobs of the key. */
  readonly order: GroupOrder
  /** What an enqueue does while the key is full. */
  readonly whenFull: WhenFull
  /** With strict order: whether the next job follows a failed one. */
  readonly onDead: OnDead
  /** true: no job of the key becomes pending. */
  readonly paused: boolean
}

/** Rules that one key may override. */
export type KeyRules = Pick<GroupRules, (typeof KEY_RULES)[number]>

/** Layers from the strongest to the weakest; a rule that is undefined comes from the next one. */
export function effectiveGroupRules(...layers: readonly (GroupRules | null | undefined)[]): EffectiveGroupRules {
  const pick = <Key extends keyof GroupRules>(key: Key): GroupRules[Key] =>
    layers.find((layer) => layer?.[key] !== undefined)?.[key]
  const order = pick('order') ?? 'fair'
  const concurrency = order === 'strict' ? 1 : (pick('concurrency') ?? null)
  const rate = pick('rate') ?? null
  return {
    concurrency,
    rate: rate && { ...rate, burst: rate.burst ?? 1 },
    window: Math.min(pick('window') ?? DEFAULT_WINDOW, concurrency ?? Number.POSITIVE_INFINITY),
    order,
    whenFull: pick('whenFull') ?? 'wait',
    onDead: pick('onDead') ?? 'continue',
    paused: pick('paused') ?? false,
  }
}

/** Rules that code declares for a group: of several types that share it, the first in order of names counts for each rule. */
export function declaredGroupRules(name: string, ofTypes: readonly GroupRules[]): readonly GroupRules[] {
  return name === SCHEDULES_GROUP ? [SCHEDULE_RULES] : ofTypes
}
