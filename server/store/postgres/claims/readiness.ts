/** Types with jobs that can be claimed now, for waking waiting claims. */
import { Capacity, readyTypes } from '../../decisions/capacity.ts'
import type { Row } from '../../rows/tables.ts'
import type { Ready } from '../../store.ts'
import type { Session } from '../connection/session.ts'
import type { Catalog } from './catalog.ts'

interface TypeCounts extends Row<'jobCounts', 'type'> {
  readonly pending: number
  readonly processing: number
}

/** `types` null: all types. */
export async function readReady(
  session: Session,
  catalog: Catalog,
  types: readonly string[] | null,
): Promise<ReadonlyMap<string, Ready>> {
  if (types?.length === 0) return new Map()
  const [rows] = await Promise.all([
    readCounts(session, types),
    hasRates(catalog) ? catalog.readBuckets(session) : undefined,
  ])
  const counts = new Map(rows.map((row) => [row.type, row]))
  const capacity = new Capacity(
    {
      pending: (type) => counts.get(type)?.pending ?? 0,
      processing: (type) => counts.get(type)?.processing ?? 0,
    },
    catalog,
  )
  return readyTypes(counts.keys(), catalog, capacity, session.now)
}

function readCounts(session: Session, types: readonly string[] | null): Promise<TypeCounts[]> {
  const sums = `SELECT type, coalesce(sum(n) FILTER (WHERE status = 'pending'), 0)::bigint AS pending,
      coalesce(sum(n) FILTER (WHERE status = 'processing'), 0)::bigint AS processing
    FROM millrace_job_counts WHERE status IN ('pending', 'processing')`
  return types === null
    ? session.rows<TypeCounts>('ready-all', `${sums} GROUP BY type`, [])
    : session.rows<TypeCounts>('ready-of', `${sums} AND type = ANY($1::text[]) GROUP BY type`, [types])
}

function hasRates(catalog: Catalog): boolean {
  if (catalog.globalRate() !== null) return true
  for (const { effective } of catalog.types()) if (effective.rate !== null) return true
  return false
}
