/** Reads of what operators steer by: types and settings, workers, the audit trail, bulk operations. */
import { type Defaults, effectiveSettings } from '../../../../shared/settings.ts'
import type { AuditRow, BulkRow, TypeRow, WorkerRow } from '../../records.ts'
import { type Encoded, parseSettings, pausedOf } from '../../rows/stored-json.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type ControlReads = Pick<SyncReads, 'types' | 'paused' | 'settings' | 'workers' | 'audit' | 'bulk' | 'openBulks'>

const BULK_COLUMNS = `id, action, filter, state, actor, cursor, matched, changed, skipped, undone,
  starts_at as startsAt, undo_until as undoUntil, created_at as createdAt, finished_at as finishedAt`

export function createControlReads(client: Client, defaults: Defaults): ControlReads {
  const types = client.prepare<[], Encoded<Omit<TypeRow, 'effective'>, 'declared' | 'override'>>(
    `select name, kind, declared, override, created_at as createdAt, updated_at as updatedAt
    from millrace_job_types order by name`,
  )
  // Settings are JSON text: most types have never named `paused`, and are not parsed.
  const pausable = client.prepare<[], { name: string; declared: string; override: string }>(
    `select name, declared, override from millrace_job_types where instr(declared || override, '"paused"') > 0`,
  )
  const settings = client.prepare<[], { key: string; value: string }>('select key, value from millrace_settings')
  const workers = client.prepare<[], Encoded<Omit<WorkerRow, 'processing'>, 'types'>>(
    `select name, types, started_at as startedAt, seen_at as seenAt, drain_requested_at as drainRequestedAt,
      slots, version
    from millrace_workers order by name`,
  )
  const processing = client.prepare<[], { worker: string; n: number }>(
    `select locked_by as worker, count(*) as n from millrace_jobs indexed by millrace_jobs_lease
    where status = 'processing' group by locked_by`,
  )
  const auditColumns = 'select id, at, actor, action, target, details from millrace_audit'
  const audit = client.prepare<[number, number], Encoded<AuditRow, 'details'>>(
    `${auditColumns} where id < ? order by id desc limit ?`,
  )
  const auditOf = client.prepare<[string, number, number], Encoded<AuditRow, 'details'>>(
    `${auditColumns} where target = ? and id < ? order by id desc limit ?`,
  )
  const bulk = client.prepare<[string], Encoded<BulkRow, 'filter'>>(
    `select ${BULK_COLUMNS} from millrace_bulk_operations where id = ?`,
  )
  const openBulks = client.prepare<[], Encoded<BulkRow, 'filter'>>(
    `select ${BULK_COLUMNS} from millrace_bulk_operations where state in ('waiting', 'running', 'undoing') order by created_at, id`,
  )
  const readSettings = () => parseSettings(settings.all())

  return {
    types() {
      const queue = readSettings()
      return types.all().map((row) => {
        const declared = JSON.parse(row.declared)
        const override = JSON.parse(row.override)
        return { ...row, declared, override, effective: effectiveSettings(declared, override, queue, defaults) }
      })
    },
    paused: () => ({ queue: readSettings().paused ?? false, types: pausedOf(pausable.all()) }),
    settings: readSettings,
    workers() {
      const busy = new Map(processing.all().map(({ worker, n }) => [worker, n]))
      return workers.all().map((row) => ({ ...row, types: JSON.parse(row.types), processing: busy.get(row.name) ?? 0 }))
    },
    audit({ target, before, limit }) {
      const from = before ?? Number.MAX_SAFE_INTEGER
      const rows = target === null ? audit.all(from, limit) : auditOf.all(target, from, limit)
      return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }))
    },
    bulk(id) {
      const row = bulk.get(id)
      return row ? { ...row, filter: JSON.parse(row.filter) } : null
    },
    openBulks: () => openBulks.all().map((row) => ({ ...row, filter: JSON.parse(row.filter) })),
  }
}
