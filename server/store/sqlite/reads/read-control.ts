/** Control-plane reads: types and settings, workers, the audit trail, bulk operations. */
import { and, asc, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { bulkOperations, type jobs, jobTypes, settings, workers } from '../../../../drizzle/sqlite/schema.ts'
import { audit } from '../../../../drizzle/sqlite/schema-history.ts'
import { type Defaults, effectiveSettings } from '../../../../shared/settings/settings.ts'
import { parseBackfill, parseSettings, pausedOf } from '../../rows/stored-json.ts'
import { type Client, queryBuilder } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type ControlReads = Pick<SyncReads, 'types' | 'paused' | 'settings' | 'workers' | 'audit' | 'bulk' | 'openBulks'>

type Processing = Pick<typeof jobs.$inferSelect, 'lockedBy'> & { readonly n: number }

export function createControlReads(client: Client, defaults: Defaults): ControlReads {
  const db = queryBuilder(client)
  const statements = {
    types: db.select().from(jobTypes).orderBy(asc(jobTypes.name)).prepare(),
    // Settings are JSON text. Most types have no `paused` in theirs and are not parsed.
    pausable: db
      .select({ name: jobTypes.name, declared: jobTypes.declared, override: jobTypes.override })
      .from(jobTypes)
      .where(sql`instr(${jobTypes.declared} || ${jobTypes.override}, '"paused"') > 0`)
      .prepare(),
    settings: db.select({ key: settings.key, value: settings.value }).from(settings).prepare(),
    workers: db
      .select({
        name: workers.name,
        types: workers.types,
        startedAt: workers.startedAt,
        seenAt: workers.seenAt,
        drainRequestedAt: workers.drainRequestedAt,
        slots: workers.slots,
        version: workers.version,
      })
      .from(workers)
      .orderBy(asc(workers.name))
      .prepare(),
    processing: client.prepare<[], Processing>(
      `SELECT locked_by AS lockedBy, count(*) AS n FROM millrace_jobs INDEXED BY millrace_jobs_lease
       WHERE status = 'processing' GROUP BY locked_by`,
    ),
    audit: db
      .select()
      .from(audit)
      .where(lt(audit.id, sql.placeholder('before')))
      .orderBy(desc(audit.id))
      .limit(sql.placeholder('limit'))
      .prepare(),
    auditOf: db
      .select()
      .from(audit)
      .where(and(eq(audit.target, sql.placeholder('target')), lt(audit.id, sql.placeholder('before'))))
      .orderBy(desc(audit.id))
      .limit(sql.placeholder('limit'))
      .prepare(),
    bulk: db
      .select()
      .from(bulkOperations)
      .where(eq(bulkOperations.id, sql.placeholder('id')))
      .prepare(),
    openBulks: db
      .select()
      .from(bulkOperations)
      .where(inArray(bulkOperations.state, ['waiting', 'running', 'undoing']))
      .orderBy(asc(bulkOperations.createdAt), asc(bulkOperations.id))
      .prepare(),
  }
  const readSettings = () => parseSettings(statements.settings.all())

  return {
    types() {
      const queue = readSettings()
      return statements.types.all().map((row) => {
        const declared = JSON.parse(row.declared)
        const override = JSON.parse(row.override)
        return { ...row, declared, override, effective: effectiveSettings(declared, override, queue, defaults) }
      })
    },
    paused: () => ({ queue: readSettings().paused ?? false, types: pausedOf(statements.pausable.all()) }),
    settings: readSettings,
    workers() {
      const busy = new Map(statements.processing.all().map(({ lockedBy, n }) => [lockedBy, n]))
      return statements.workers
        .all()
        .map((row) => ({ ...row, types: JSON.parse(row.types), processing: busy.get(row.name) ?? 0 }))
    },
    audit({ target, before, limit }) {
      const from = before ?? Number.MAX_SAFE_INTEGER
      const rows =
        target === null
          ? statements.audit.all({ before: from, limit })
          : statements.auditOf.all({ target, before: from, limit })
      return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }))
    },
    bulk(id) {
      const row = statements.bulk.get({ id })
      return row ? { ...row, filter: JSON.parse(row.filter), backfill: parseBackfill(row.backfill) } : null
    },
    openBulks: () =>
      statements.openBulks
        .all()
        .map((row) => ({ ...row, filter: JSON.parse(row.filter), backfill: parseBackfill(row.backfill) })),
  }
}
