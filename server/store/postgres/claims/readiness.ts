/** Types with jobs that can be claimed now, for waking waiting claims. */
import { Capacity, readyTypes } from '../../decisions/capacity.ts'
import type { Row } from '../../rows/tables.ts'
import type { Ready } from '../../store.ts'
import type { Session } from '../connection/session.ts'
import type { Catalog } from './catalog.ts'

export interface TypeCounts extends Row<'jobCounts', 'type'> {
  readonly pending: number
  readonly processing: number
}

export const COUNTS = `SELECT type, coalesce(sum(n) FILTER (WHERE status = 'pending'), 0)::bigint AS pending,
    coalesce(sum(n) FILTER (WHERE status = 'processing'), 0)::bigint AS processing
  FROM millrace_job_counts WHERE status IN ('pending', 'processing')`

/** `types` null: all types. */
export async function readReady(
  session: Session,
  catalog: Catalog,
  types: readonly string[] | null,
): Promise<ReadonlyMap<string, Ready>> {
  if (types?.length === 0) return new Map()
  const [rows] = await Promise.all([
    readCounts(session, types),
    catalog.hasRates() ? catalog.readBuckets(session, types) : undefined,
  ])
  return readyOf(session.now, catalog, rows)
}

/** The buckets of the catalog must have been read in the same transaction. */
export function readyOf(now: number, catalog: Catalog, rows: readonly TypeCounts[]): ReadonlyMap<string, Ready> {
  const counts = new Map(rows.map((row) => [row.type, row]))
  const capacity = new Capacity(
    {
      pending: (type) => counts.get(type)?.pending ?? 0,
      processing: (type) => counts.get(type)?.processing ?? 0,
    },
    catalog,
  )
  return readyTypes(counts.keys(), catalog, capacity, now)
}

function readCounts(session: Session, types: readonly string[] | null): Promise<TypeCounts[]> {
  return types === null
    ? session.rows<TypeCounts>('ready-all', `${COUNTS} GROUP BY type`, [])
    : session.rows<TypeCounts>('ready-of', `${COUNTS} AND type = ANY($1::text[]) GROUP BY type`, [types])
}
