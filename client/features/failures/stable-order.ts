/** Keeps failure groups in the order first shown; new groups wait until requested. */
import { type Grouped, groupKey } from './group-filter.ts'

export interface Arranged<Group> {
  readonly shown: readonly Group[]
  readonly waiting: number
}

interface Counted {
  readonly lastHour: number
  readonly lastDay: number
  readonly lastWeek: number
}

/** By failures in the last hour, then day, then week. */
export function mostFrequentFirst<Group extends Counted>(groups: readonly Group[]): readonly Group[] {
  return groups.toSorted((a, b) => b.lastHour - a.lastHour || b.lastDay - a.lastDay || b.lastWeek - a.lastWeek)
}

/** `order`: the groups shown so far. Empty or null: all groups are shown. */
export function arrange<Group extends Grouped>(
  groups: readonly Group[],
  order: readonly string[] | null,
): Arranged<Group> {
  if (order === null || order.length === 0) return { shown: groups, waiting: 0 }
  const byKey = new Map(groups.map((group) => [groupKey(group), group]))
  const shown = order.flatMap((key) => byKey.get(key) ?? [])
  // None of the shown groups is left, so there is no order to keep.
  if (shown.length === 0) return { shown: groups, waiting: 0 }
  return { shown, waiting: groups.length - shown.length }
}
