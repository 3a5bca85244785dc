/** How many jobs of which types could be claimed right now, for waking those who wait. */

import { Room } from '../../capacity.ts'
import type { Ready } from '../../store.ts'
import type { Session } from '../connection/session.ts'
import type { Catalog } from './catalog.ts'

interface TypeCounts {
  readonly type: string
  readonly pending: number
  readonly processing: number
}

/** `types` null: all there are. */
export async function readReady(
  session: Session,
  catalog: Catalog,
  types: readonly string[] | null,
): Promise<ReadonlyMap<string, Ready>> {
  if (types?.length === 0) return new Map()
  const [rows] = await Promise.all([
    countsOf(session, types),
    hasRates(catalog) ? catalog.readBuckets(session) : undefined,
  ])
  const counts = new Map(rows.map((row) => [row.type, row]))
  const room = new Room(
    {
      pending: (type) => counts.get(type)?.pending ?? 0,
      processing: (type) => counts.get(type)?.processing ?? 0,
    },
    catalog,
  )
  const ready = new Map<string, Ready>()
  const most = room.ofQueue(session.now)
  for (const name of counts.keys()) {
    const type = catalog.type(name)
    if (!type) continue
    const count = Math.min(most, room.of(type, session.now))
    const nextAt = count > 0 ? null : room.nextAt(type, session.now)
    if (count > 0) ready.set(name, { count, kind: type.kind })
    else if (nextAt !== null) ready.set(name, { count, kind: type.kind, nextAt })
  }
  return ready
}

function countsOf(session: Session, types: readonly string[] | null): Promise<TypeCounts[]> {
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
