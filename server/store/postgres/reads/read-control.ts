/** Control-plane reads: types and settings, workers, the audit trail, bulk operations. */
import { and, asc, count, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { bulkOperations, jobs, jobTypes, settings, workers } from '../../../../drizzle/postgres/schema.ts'
import { audit } from '../../../../drizzle/postgres/schema-history.ts'
import type { BulkRow } from '../../../../shared/records.ts'
import { effectiveSettings } from '../../../../shared/settings/settings.ts'
import { parseBackfill, parseSettings, pausedOf } from '../../rows/stored-json.ts'
import type { Reads } from '../../store.ts'
import { queryBuilder } from '../connection/open.ts'
import type { ReadOptions } from './read-options.ts'

type ControlReads = Pick<Reads, 'types' | 'paused' | 'settings' | 'workers' | 'audit' | 'bulk' | 'openBulks'>

// Named, so that the server plans each statement once per connection. Sorted by bytes (collation C), as SQLite sorts.
export function createControlReads({ open, defaults }: Pick<ReadOptions, 'open' | 'defaults'>): ControlReads {
  const db = () => queryBuilder(open())

  async function readSettings() {
    const rows = db().select({ key: settings.key, value: settings.value }).from(settings)
    return parseSettings(await rows.prepare('read-settings').execute())
  }

  return {
    async types() {
      const queue = await readSettings()
      const types = db().select().from(jobTypes).orderBy(sql`${jobTypes.name} COLLATE "C"`)
      const rows = await types.prepare('read-types').execute()
      return rows.map((row) => {
        const declared = JSON.parse(row.declared)
        const override = JSON.parse(row.override)
        return { ...row, declared, override, effective: effectiveSettings(declared, override, queue, defaults) }
      })
    },
    async paused() {
      const { name, declared, override } = jobTypes
      // Settings are JSON text. Most types have no `paused` in theirs and are not parsed.
      const pausable = db()
        .select({ name, declared, override })
        .from(jobTypes)
        .where(sql`strpos(${declared} || ${override}, '"paused"') > 0`)
      // One after the other: a read uses one connection at a time.
      const queue = await readSettings()
      const rows = await pausable.prepare('read-paused').execute()
      return { queue: queue.paused ?? false, types: pausedOf(rows) }
    },
    settings: readSettings,
    async workers() {
      const busy = db()
        .select({ worker: jobs.lockedBy, n: count().as('n') })
        .from(jobs)
        .where(eq(jobs.status, 'processing'))
        .groupBy(jobs.lockedBy)
        .as('busy')
      const { name, types, startedAt, seenAt, drainRequestedAt, slots, version } = workers
      const rows = await db()
        .select({ name, types, startedAt, seenAt, drainRequestedAt, slots, version, processing: busy.n })
        .from(workers)
        .leftJoin(busy, eq(busy.worker, name))
        .orderBy(sql`${name} COLLATE "C"`)
        .prepare('read-workers')
        .execute()
      return rows.map((row) => ({ ...row, types: JSON.parse(row.types), processing: row.processing ?? 0 }))
    },
    async audit({ target, before, limit }) {
      const isOlder = lt(audit.id, before ?? Number.MAX_SAFE_INTEGER)
      const rows = await db()
        .select()
        .from(audit)
        .where(target === null ? isOlder : and(eq(audit.target, target), isOlder))
        .orderBy(desc(audit.id))
        .limit(limit)
        .prepare(target === null ? 'read-audit' : 'read-audit-of')
        .execute()
      return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }))
    },
    async bulk(id) {
      const found = db().select().from(bulkOperations).where(eq(bulkOperations.id, id))
      const [row] = await found.prepare('read-bulk').execute()
      return row ? toBulk(row) : null
    },
    async openBulks() {
      const rows = await db()
        .select()
        .from(bulkOperations)
        .where(inArray(bulkOperations.state, ['waiting', 'running', 'undoing']))
        .orderBy(asc(bulkOperations.createdAt), sql`${bulkOperations.id} COLLATE "C"`)
        .prepare('read-open-bulks')
        .execute()
      return rows.map(toBulk)
    },
  }
}

function toBulk(row: typeof bulkOperations.$inferSelect): BulkRow {
  return { ...row, filter: JSON.parse(row.filter), backfill: parseBackfill(row.backfill) }
}
