/** Order of the keys in view: rows keep their places while the list is in use. */
import type { GroupKeyRow } from '../../../../shared/groups/records.ts'

export interface Reading {
  readonly rows: readonly GroupKeyRow[]
  /** There are no more keys than these. */
  readonly isComplete: boolean
}

/** While held, rows get their new numbers in place, and keys that are new in the reading are appended as far as it is longer. */
export function arrangeKeys(
  shown: readonly GroupKeyRow[],
  { rows, isComplete }: Reading,
  isHeld: boolean,
): readonly GroupKeyRow[] {
  if (!isHeld || shown.length === 0) return rows
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const kept = shown.map((row) => byKey.get(row.key) ?? (isComplete ? withoutJobs(row) : row))
  const known = new Set(shown.map(({ key }) => key))
  const added = rows.filter(({ key }) => !known.has(key))
  return [...kept, ...added.slice(0, Math.max(0, rows.length - kept.length))]
}

export function isSameRows(a: readonly GroupKeyRow[], b: readonly GroupKeyRow[]): boolean {
  return a.length === b.length && a.every((row, index) => row === b[index])
}

/** A key without unfinished jobs is no longer listed. */
function withoutJobs(row: GroupKeyRow): GroupKeyRow {
  if (row.pending + row.processing + row.blocked === 0) return row
  return { ...row, pending: 0, processing: 0, blocked: 0, oldestBlockedAt: null, nextAt: null }
}
