/** Inserts new jobs with their payloads; a deduplication key is stored once. */
import type { EnqueueResult } from '../../../../shared/job.ts'
import type { Status } from '../../../../shared/status.ts'
import { firstRunAt, firstStatus } from '../../decisions/first-run.ts'
import { groupOf, type JobGroup } from '../../decisions/group-of-job.ts'
import type { NewJob, OpOf } from '../../ops.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { RecentPayloads } from '../claims/recent-payloads.ts'
import type { Client } from '../connection/open.ts'
import type { FullKeys } from './groups/full-keys.ts'
import type { Groups } from './groups/groups.ts'
import type { Ledger } from './ledger.ts'
import { PlainJobs } from './plain-jobs.ts'

/** Must be spelt exactly like the condition of the unique index millrace_jobs_dedupe, or SQLite does not use it. */
export const KEY_HOLDER = `dedupe_key IS NOT NULL AND (dedupe_until = 'removed' OR finished_at IS NULL)`

const EXISTING = columnsOf('jobs', ['id', 'status'])

/** Groups of new jobs. null in a transaction of the application, which must not lock rows of keys until it ends. */
export interface InsertGroups {
  readonly groups: Groups
  readonly fullKeys: FullKeys
}

/** A new job as it is stored. */
interface Entry {
  readonly group: JobGroup | null
  readonly status: Status
  readonly runAt: number
}

export interface InsertParts {
  readonly payloads: RecentPayloads
  readonly ledger: Ledger
  readonly catalog: Catalog
  readonly keys: InsertGroups | null
}

export class Insert {
  private readonly payloads: RecentPayloads
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly keys: InsertGroups | null
  private readonly insertJob
  private readonly plainJobs
  private readonly insertBody
  private readonly selectHolder
  private readonly selectById

  constructor(client: Client, { payloads, ledger, catalog, keys }: InsertParts) {
    this.payloads = payloads
    this.ledger = ledger
    this.catalog = catalog
    this.keys = keys
    // `main.` here and in the ledger: the connection may belong to the application, with TEMP tables of the same names.
    this.insertJob = client.prepare(
      `INSERT INTO main.millrace_jobs (id, type, status, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms, backoff, face,
         traceparent, group_name, group_key, expires_at, tick, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    )
    this.insertBody = client.prepare('INSERT INTO main.millrace_job_bodies (seq, payload) VALUES (?, ?)')
    this.plainJobs = new PlainJobs(client, (job, status) => this.stored(job, status))
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

  /** Writes the gathered jobs: before the rows of jobs are read, and at the end of the commit. */
  flush(now: number): void {
    this.plainJobs.flush(now)
  }

  /** The operations since the last `flush` were rolled back. */
  forget(): void {
    this.plainJobs.forget()
  }

  private one(job: NewJob, now: number): EnqueueResult {
    this.catalog.ensureType(job.type, job.kind, now)
    if (job.dedupeKey !== null) {
      const holder = this.selectHolder.get(job.type, job.dedupeKey)
      if (holder) return { ...holder, deduplicated: holder.id !== job.id }
    }
    const runAt = firstRunAt(job, now)
    const status = firstStatus(runAt, now)
    const group = groupOf(job, this.catalog.effective(job.type).group)
    return group === null
      ? this.store(job, { group, status, runAt }, now)
      : this.oneOfKey(job, { group, status, runAt }, now)
  }

  private oneOfKey(job: NewJob, entry: Entry & { readonly group: JobGroup }, now: number): EnqueueResult {
    if (entry.status !== 'pending') return this.store(job, entry, now)
    // Due jobs too: promotion admits them soon after the commit of the application.
    if (this.keys === null) return this.store(job, { ...entry, status: 'scheduled' }, now)
    const { groups, fullKeys } = this.keys
    const { group } = entry
    const admission = groups.admission(group, job.whenFull, now)
    if (admission !== 'pending' && admission !== 'wait') {
      // A repeated commit must not act on the key again.
      const stored = this.selectById.get(job.id)
      if (stored) return { ...stored, deduplicated: false }
    }
    const other = admission === 'skip' ? fullKeys.other(group) : undefined
    if (other) return { ...other, deduplicated: true }
    return this.store(job, { ...entry, status: fullKeys.admit(group, admission, now) }, now)
  }

  private store(job: NewJob, entry: Entry, now: number): EnqueueResult {
    const { group, status, runAt } = entry
    if (group === null && isPlain(job)) {
      const result = { id: job.id, status, deduplicated: false }
      this.plainJobs.add({ job, status, runAt, result })
      return result
    }
    // Among jobs that are equal otherwise, claims take the one that was stored first.
    this.plainJobs.flush(now)
    const inserted = this.write(job, entry, now)
    if (inserted.changes === 0) return this.replayed(job.id)
    this.insertBody.run(inserted.lastInsertRowid, job.payload)
    this.stored(job, status)
    const seq = Number(inserted.lastInsertRowid)
    if (group !== null) this.keys?.groups.moved(group, { seq, from: null, to: status }, now)
    return { id: job.id, status, deduplicated: false }
  }

  private stored(job: NewJob, status: Status): void {
    this.payloads.remember(job.id, job.payload)
    this.ledger.record({ id: job.id, type: job.type, from: null, to: status })
  }

  private write(job: NewJob, { group, status, runAt }: Entry, now: number) {
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
      group?.name ?? null,
      group?.key ?? null,
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
    job.tick === undefined
  )
}
