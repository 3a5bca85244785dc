/** Failures of the last week, counted per hour and grouped by type and error key. */
import type { FailureGroup } from '../../../shared/records.ts'

/** Failures of one group within a window of time. */
export interface FailurePart {
  readonly type: string
  readonly errorKey: string
  readonly n: number
  readonly firstAt: number
  readonly lastAt: number
}

/** A failure group without its sample. */
export type OpenGroup = Omit<FailureGroup, 'sampleId' | 'sampleError'>

interface Group {
  readonly type: string
  readonly errorKey: string
  /** Failures per hour, the current one first. */
  readonly hours: number[]
  firstSeenAt: number
  lastSeenAt: number
}

const DAY_HOURS = 24
export const WEEK_HOURS = 7 * DAY_HOURS
/** Time budget of failure groups, in budgets of a list. */
export const FAILURE_BUDGETS = 4

/** Sums parts, in any order. Groups with the most failures of the last day come first. */
export class FailureTally {
  readonly #groups = new Map<string, Group>()

  /** `hour` counts back from the current one, which is 0. */
  add({ type, errorKey, n, firstAt, lastAt }: FailurePart, hour: number): void {
    // A type has no line breaks.
    const name = `${type}\n${errorKey}`
    const known = this.#groups.get(name)
    const group = known ?? { type, errorKey, hours: [], firstSeenAt: firstAt, lastSeenAt: lastAt }
    if (!known) this.#groups.set(name, group)
    group.hours[hour] = (group.hours[hour] ?? 0) + n
    group.firstSeenAt = Math.min(group.firstSeenAt, firstAt)
    group.lastSeenAt = Math.max(group.lastSeenAt, lastAt)
  }

  top(limit: number): readonly OpenGroup[] {
    return [...this.#groups.values()]
      .map(summarise)
      .sort((a, b) => b.lastDay - a.lastDay || b.lastSeenAt - a.lastSeenAt || compareNames(a, b))
      .slice(0, limit)
  }
}

function summarise({ hours, ...group }: Group): OpenGroup {
  const sum = (count: number) => hours.slice(0, count).reduce((total, n) => total + n, 0)
  return {
    ...group,
    lastHour: sum(1),
    lastDay: sum(DAY_HOURS),
    lastWeek: sum(WEEK_HOURS),
    trend: Array.from({ length: DAY_HOURS }, (_, i) => hours[DAY_HOURS - 1 - i] ?? 0),
  }
}

function compareNames(a: OpenGroup, b: OpenGroup): number {
  return a.type < b.type || (a.type === b.type && a.errorKey < b.errorKey) ? -1 : 1
}
