/** Reads of what operators steer by: types and settings, workers, the audit trail, bulk operations. */
import { effectiveSettings, type QueueSettings } from '../../../../shared/settings.ts'
import type { AuditRow, BulkRow, TypeRow, WorkerRow } from '../../records.ts'
import { type Encoded, parseSettings, pausedOf } from '../../rows/stored-json.ts'
import type { Reads } from '../../store.ts'
import type { Queryable } from '../connection/open.ts'
import type { ReadOptions } from './read-options.ts'

type ControlReads = Pick<Reads, 'types' | 'paused' | 'settings' | 'workers' | 'audit' | 'bulk' | 'openBulks'>

// By bytes, as SQLite sorts, whatever the collation of the database.
const TYPES = `select name, kind, declared, override, created_at as "createdAt", updated_at as "updatedAt"
  from millrace_job_types order by name collate "C"`
// Settings are JSON text: most types have never named `paused`, and are not parsed.
const PAUSABLE = `select name, declared, override from millrace_job_types where strpos(declared || override, '"paused"') > 0`
const WORKERS = `select name, types, started_at as "startedAt", seen_at as "seenAt",
    drain_requested_at as "drainRequestedAt", slots, version, coalesce(busy.n, 0) as processing
  from millrace_workers left join (
    select locked_by, count(*) as n from millrace_jobs where status = 'processing' group by locked_by
  ) busy on busy.locked_by = name order by name collate "C"`
const AUDIT = `select id, at, actor, action, target, details from millrace_audit where id < $1`
const BULKS = `select id, action, filter, state, actor, cursor, matched, changed, skipped, undone,
    starts_at as "startsAt", undo_until as "undoUntil", created_at as "createdAt", finished_at as "finishedAt"
  from millrace_bulk_operations`
const OPEN_BULKS = `${BULKS} where state in ('waiting', 'running', 'undoing') order by created_at, id collate "C"`

type TypeRecord = Encoded<Omit<TypeRow, 'effective'>, 'declared' | 'override'>
type BulkRecord = Encoded<BulkRow, 'filter'>

export function createControlReads({ open, defaults }: Pick<ReadOptions, 'open' | 'defaults'>): ControlReads {
  return {
    async types() {
      const queue = await readSettings(open())
      const { rows } = await open().query<TypeRecord>({ name: 'read-types', text: TYPES })
      return rows.map((row) => {
        const declared = JSON.parse(row.declared)
        const override = JSON.parse(row.override)
        return { ...row, declared, override, effective: effectiveSettings(declared, override, queue, defaults) }
      })
    },
    async paused() {
      const [settings, { rows }] = await Promise.all([
        readSettings(open()),
        open().query<Pick<TypeRecord, 'name' | 'declared' | 'override'>>({ name: 'read-paused', text: PAUSABLE }),
      ])
      return { queue: settings.paused ?? false, types: pausedOf(rows) }
    },
    settings: async () => readSettings(open()),
    async workers() {
      const { rows } = await open().query<Encoded<WorkerRow, 'types'>>({ name: 'read-workers', text: WORKERS })
      return rows.map((row) => ({ ...row, types: JSON.parse(row.types) }))
    },
    async audit({ target, before, limit }) {
      const from = before ?? Number.MAX_SAFE_INTEGER
      const { rows } = await open().query<Encoded<AuditRow, 'details'>>(
        target === null
          ? { name: 'read-audit', text: `${AUDIT} order by id desc limit $2`, values: [from, limit] }
          : {
              ...{ name: 'read-audit-of', text: `${AUDIT} and target = $2 order by id desc limit $3` },
              values: [from, target, limit],
            },
      )
      return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }))
    },
    async bulk(id) {
      const { rows } = await open().query<BulkRecord>({
        name: 'read-bulk',
        text: `${BULKS} where id = $1`,
        values: [id],
      })
      return rows[0] ? toBulk(rows[0]) : null
    },
    async openBulks() {
      return (await open().query<BulkRecord>({ name: 'read-open-bulks', text: OPEN_BULKS })).rows.map(toBulk)
    },
  }
}

async function readSettings(queryable: Queryable): Promise<QueueSettings> {
  const text = 'select key, value from millrace_settings'
  return parseSettings((await queryable.query<{ key: string; value: string }>({ name: 'read-settings', text })).rows)
}

function toBulk(row: BulkRecord): BulkRow {
  return { ...row, filter: JSON.parse(row.filter) }
}
