/** A job filter as audit details: ids are only counted, because each of their jobs has an audit entry. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'

export function auditDetails({ ids, ...filter }: JobFilter): unknown {
  return ids === undefined ? filter : { ...filter, ids: ids.length }
}
