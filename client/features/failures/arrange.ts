/** Keeps groups where they were first shown: counts change in place, and groups that are new wait to be let in. */
import { type Grouped, groupName } from './group-filter.ts'

export interface Arranged<Group> {
  readonly shown: readonly Group[]
  readonly waiting: number
}

interface Counted {
  readonly lastHour: number
  readonly lastDay: number
  readonly lastWeek: number
}

/** What burns now comes before what burned yesterday. */
export function hottestFirst<Group extends Counted>(groups: readonly Group[]): readonly Group[] {
  return groups.toSorted((a, b) => b.lastHour - a.lastHour || b.lastDay - a.lastDay || b.lastWeek - a.lastWeek)
}

/** `order` names what is shown already; null or nothing: all of it may come in. */
export function arrange<Group extends Grouped>(
  groups: readonly Group[],
  order: readonly string[] | null,
): Arranged<Group> {
  if (order === null || order.length === 0) return { shown: groups, waiting: 0 }
  const byName = new Map(groups.map((group) => [groupName(group), group]))
  const shown = order.flatMap((name) => byName.get(name) ?? [])
  // When all that was shown is gone there is nothing to keep in place.
  if (shown.length === 0) return { shown: groups, waiting: 0 }
  return { shown, waiting: groups.length - shown.length }
}
