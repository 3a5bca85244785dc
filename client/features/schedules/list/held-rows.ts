/** Schedules in view: rows keep their places while the list is in use. */
import type { ScheduleRow } from '../../../../shared/schedules/schedule.ts'

export interface Shown {
  readonly rows: readonly ScheduleRow[]
  /** Names in view that the list no longer contains. */
  readonly gone: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** While held, rows change in place, those that left the list remain, and new ones follow at the end. */
export function arrangeRows(shown: readonly ScheduleRow[], rows: readonly ScheduleRow[], isHeld: boolean): Shown {
  if (!isHeld || shown.length === 0) return { rows, gone: NONE }
  const byName = new Map(rows.map((row) => [row.name, row]))
  const known = new Set(shown.map(({ name }) => name))
  return {
    rows: [...shown.map((row) => byName.get(row.name) ?? row), ...rows.filter(({ name }) => !known.has(name))],
    gone: new Set([...known].filter((name) => !byName.has(name))),
  }
}

export function isSameRows(a: readonly ScheduleRow[], b: readonly ScheduleRow[]): boolean {
  return a.length === b.length && a.every((row, index) => row === b[index])
}
