/** Inserts new jobs with their payloads; a deduplication key is stored once. */
import type { EnqueueResult } from '../../../../shared/job.ts'
import type { Status } from '../../../../shared/status.ts'
import { firstRunAt, firstStatus } from '../../decisions/first-run.ts'
import type { NewJob, OpOf } from '../../ops.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { RecentPayloads } from '../claims/recent-payloads.ts'
import type { Client } from '../connection/open.ts'
import type { Ledger } from './ledger.ts'

/** Must be spelt exactly like the condition of the unique index millrace_jobs_dedupe, or SQLite does not use it. */
export const KEY_HOLDER = `dedupe_key IS NOT NULL AND (dedupe_until = 'removed' OR finished_at IS NULL)`

const EXISTING = columnsOf('jobs', ['id', 'status'])

export class Insert {
  private readonly payloads: RecentPayloads
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly insertJob
  private readonly insertPlainJob
  private readonly insertBody
  private readonly selectHolder
  private readonly selectById

  constructor(client: Client, payloads: RecentPayloads, ledger: Ledger, catalog: Catalog) {
    this.payloads = payloads
    this.ledger = ledger
    this.catalog = catalog
    // `main.` here and in the ledger: the connection may belong to the application, with TEMP tables of the same names.
    this.insertJob = client.prepare(
      `INSERT INTO main.millrace_jobs (id, type, status, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms, backoff, face,
         traceparent, group_name, group_key, expires_at, tick, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    )
    // Most jobs have no options: eleven fewer parameters to bind.
    this.insertPlainJob = client.prepare(
      `INSERT INTO main.millrace_jobs (id, type, status, priority, run_at, face, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    )
    this.insertBody = client.prepare('INSERT INTO main.millrace_job_bodies (seq, payload) VALUES (?, ?)')
    this.selectHolder = client.prepare<[type: string, key: string], RowOf<typeof EXISTING>>(
      `SELECT ${EXISTING.list} FROM main.millrace_jobs WHERE type = ? AND dedupe_key = ? AND ${KEY_HOLDER}`,
    )
    this.selectById = client.prepare<[id: string], RowOf<typeof EXISTING>>(
      `SELECT ${EXISTING.list} FROM main.millrace_jobs WHERE id = ?`,
    )
  }

  enqueue(op: OpOf<'enqueue'>, now: number): readonly EnqueueResult[] {
    return op.jobs.map((job) => this.one(job, now))
  }

  private one(job: NewJob, now: number): EnqueueResult {
    this.catalog.ensureType(job.type, job.kind, now)
    if (job.dedupeKey !== null) {
      const holder = this.selectHolder.get(job.type, job.dedupeKey)
      if (holder) return { ...holder, deduplicated: holder.id !== job.id }
    }
    const runAt = firstRunAt(job, now)
    const status = firstStatus(runAt, now)
    const inserted = this.write(job, status, runAt, now)
    if (inserted.changes === 0) return this.replayed(job.id)
    this.insertBody.run(inserted.lastInsertRowid, job.payload)
    this.payloads.remember(job.id, job.payload)
    this.ledger.record({ id: job.id, type: job.type, from: null, to: status })
    return { id: job.id, status, deduplicated: false }
  }

  private write(job: NewJob, status: Status, runAt: number, now: number) {
    if (isPlain(job)) {
      return this.insertPlainJob.run(job.id, job.type, status, job.priority, runAt, job.face, now, now)
    }
    return this.insertJob.run(
      job.id,
      job.type,
      status,
      job.priority,
      job.maxAttempts,
      runAt,
      job.dedupeKey,
      job.dedupeKey === null ? null : job.dedupeUntil,
      job.timeoutMs,
      job.backoff === null ? null : JSON.stringify(job.backoff),
      job.face,
      job.traceparent,
      job.groupName,
      job.groupKey,
      job.expiresAt,
      job.tick === undefined ? null : JSON.stringify(job.tick),
      now,
      now,
    )
  }

  /** The commit was repeated because the first response was lost: its jobs exist already. */
  private replayed(id: string): EnqueueResult {
    const existing = this.selectById.get(id)
    if (!existing) throw new Error(`Job ${id} was neither inserted nor found.`)
    return { ...existing, deduplicated: false }
  }
}

function isPlain(job: NewJob): boolean {
  return (
    job.dedupeKey === null &&
    job.maxAttempts === null &&
    job.timeoutMs === null &&
    job.backoff === null &&
    job.expiresAt === null &&
    job.traceparent === null &&
    job.groupKey === null &&
    job.tick === undefined
  )
}
