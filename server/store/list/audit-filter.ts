/** A filter as the audit trail tells it: ids are only counted, since each of their jobs has an entry of its own. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'

export function told({ ids, ...filter }: JobFilter): unknown {
  return ids === undefined ? filter : { ...filter, ids: ids.length }
}
