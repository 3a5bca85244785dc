/** Sums over the exact counts of jobs per type and status. */
import { STATUSES, type Status, type StatusCounts } from '../../../shared/status.ts'

export type Counts = ReadonlyMap<string, StatusCounts>

/** Number of jobs with this type (null: any) and these statuses. */
export function sumCounts(statuses: readonly Status[], type: string | null, counts: Counts): number {
  let total = 0
  for (const [name, ofType] of counts) {
    if (type === null || name === type) for (const status of statuses) total += ofType[status]
  }
  return total
}

/** Number of jobs matching a type and status filter. */
export function countMatching(
  filter: { readonly statuses: readonly Status[] | null; readonly type: string | null },
  counts: Counts,
): number {
  return sumCounts(filter.statuses ?? STATUSES, filter.type, counts)
}

/** The types with jobs in the status, or the given type if it has some. */
export function typesWith(status: Status, type: string | null, counts: Counts): readonly string[] {
  const names = type === null ? [...counts.keys()] : [type]
  return names.filter((name) => (counts.get(name)?.[status] ?? 0) > 0)
}

/** True if at least `atLeast` types have ready jobs. */
export function hasReadyTypes(counts: Counts, atLeast: number): boolean {
  let ready = 0
  for (const { pending } of counts.values()) {
    if (pending > 0) ready += 1
    if (ready >= atLeast) return true
  }
  return false
}
