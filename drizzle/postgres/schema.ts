/** Queue tables for PostgreSQL. Same names and rules as ../sqlite/schema.ts; comments explain the differences. */
import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { AttemptOutcome, DedupeUntil, LogStream } from '../../shared/job.ts'
import type { BulkRow, BulkState } from '../../shared/records.ts'
import type { Kind, Status } from '../../shared/status.ts'

/** Instants, durations and unbounded counts: 64 bits as in SQLite, read as numbers. */
const long = (name: string) => bigint(name, { mode: 'number' })

/** Narrow and hot: every transition rewrites this row. The migration sets its fillfactor and vacuum settings. */
export const jobs = pgTable(
  'millrace_jobs',
  {
    seq: long('seq').primaryKey().generatedAlwaysAsIdentity(),
    /** UUID v7 made before the insert, so that a commit whose outcome is unknown can be retried. */
    id: text('id').notNull(),
    type: text('type').notNull(),
    status: text('status').$type<Status>().notNull(),
    priority: integer('priority').notNull().default(0),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts'),
    crashes: integer('crashes').notNull().default(0),
    /** Consecutive claims, made while the job had crashes, without any later call of the worker; reset to 0 by one. */
    unconfirmedClaims: integer('unconfirmed_claims').notNull().default(0),
    version: long('version').notNull().default(0),
    runAt: long('run_at').notNull(),
    leaseUntil: long('lease_until'),
    /** Requested length of the lease; leases are renewed by this much after an outage. */
    leaseMs: long('lease_ms'),
    /** Worker that holds the job, or that completed it. */
    lockedBy: text('locked_by'),
    error: text('error'),
    progress: doublePrecision('progress'),
    dedupeKey: text('dedupe_key'),
    dedupeUntil: text('dedupe_until').$type<DedupeUntil>(),
    timeoutMs: long('timeout_ms'),
    backoff: text('backoff'),
    /** Source of the job: the API it was enqueued with. */
    face: text('face').notNull().default('api'),
    cancelRequestedAt: long('cancel_requested_at'),
    claimRequestId: text('claim_request_id'),
    traceparent: text('traceparent'),
    /** The group that the job belongs to, and its key in it. Both or none. */
    groupName: text('group_name'),
    groupKey: text('group_key'),
    expiresAt: long('expires_at'),
    /** Tick of a schedule, as JSON. */
    tick: text('tick'),
    createdAt: long('created_at').notNull(),
    updatedAt: long('updated_at').notNull(),
    startedAt: long('started_at'),
    finishedAt: long('finished_at'),
  },
  (t) => [
    uniqueIndex('millrace_jobs_id').on(t.id),
    // Claims: only rows that can be claimed now. Future rows in it cost 53 ms a claim at a million, so they have their own.
    // NULLS FIRST is what a plain `order by priority desc` means here; any other index would not serve it.
    index('millrace_jobs_claim')
      .on(t.type, t.priority.desc().nullsFirst(), t.runAt, t.seq)
      .where(sql`${t.status} = 'pending'`),
    // Jobs with crashes that wait or run; they are claimed alone. Other jobs never enter this index.
    index('millrace_jobs_suspects')
      .on(t.status, t.type, t.priority.desc().nullsFirst(), t.runAt, t.seq)
      .where(sql`${t.crashes} > 0 and ${t.face} <> 'messages' and ${t.finishedAt} is null`),
    // Promotion: the next due time is its first entry.
    index('millrace_jobs_due').on(t.runAt).where(sql`${t.status} in ('scheduled', 'retrying')`),
    // Rescue, and the running jobs of a type. Unlike in SQLite no index mentions lease_until, not even in its condition, so that
    // a heartbeat is a HOT update, which touches no index. Running jobs are few enough to scan.
    index('millrace_jobs_processing').on(t.type).where(sql`${t.status} = 'processing'`),
    // Expiry of waiting jobs. Jobs without an expiry are not in it. Not `lease_until is null`: see above.
    index('millrace_jobs_expiry')
      .on(t.expiresAt)
      .where(sql`${t.expiresAt} is not null and ${t.finishedAt} is null and ${t.status} <> 'processing'`),
    // Retention by type and status, oldest first; entered once, when a job finishes.
    index('millrace_jobs_finished').on(t.type, t.status, t.finishedAt).where(sql`${t.finishedAt} is not null`),
    // Retry of a claim whose response was lost.
    index('millrace_jobs_claim_request').on(t.claimRequestId).where(sql`${t.claimRequestId} is not null`),
    // One job per key; `finished` frees the key at a terminal status by leaving the index.
    uniqueIndex('millrace_jobs_dedupe')
      .on(t.type, t.dedupeKey)
      .where(sql`${t.dedupeKey} is not null and (${t.dedupeUntil} = 'removed' or ${t.finishedAt} is null)`),
    // The next job of a key that becomes pending. Jobs without a group never enter this index or the next one.
    index('millrace_jobs_blocked')
      .on(t.groupName, t.groupKey, t.priority.desc().nullsFirst(), t.runAt, t.seq)
      .where(sql`${t.status} = 'blocked'`),
    // The unfinished jobs of a key; entered once and left once.
    index('millrace_jobs_group')
      .on(t.groupName, t.groupKey, t.seq)
      .where(sql`${t.groupKey} is not null and ${t.finishedAt} is null`),
    check(
      'millrace_jobs_terminal_is_finished',
      sql`(${t.status} in ('completed', 'failed', 'cancelled')) = (${t.finishedAt} is not null)`,
    ),
    check('millrace_jobs_processing_is_leased', sql`(${t.status} = 'processing') = (${t.leaseUntil} is not null)`),
    check('millrace_jobs_leased_has_worker', sql`${t.leaseUntil} is null or ${t.lockedBy} is not null`),
    check('millrace_jobs_counts_positive', sql`${t.attempts} >= 0 and ${t.crashes} >= 0 and ${t.version} >= 0`),
  ],
)

/**
 * Payloads apart from the hot row, as in SQLite. No foreign keys here and on results: PostgreSQL checks each row with a
 * separate query, which took longer than storing the job and its payload.
 */
export const jobBodies = pgTable('millrace_job_bodies', {
  seq: long('seq').primaryKey(),
  payload: text('payload').notNull(),
})

/** Results apart from payloads, as in SQLite: a new row version would copy a payload that is stored inline. */
export const jobResults = pgTable('millrace_job_results', {
  seq: long('seq').primaryKey(),
  result: text('result').notNull(),
})

/**
 * One row per attempt that failed, crashed or was released. The primary key rules out a second outcome for the same claim.
 * The attempt that completes a job has no row: the job's own row, which is final, holds the same data.
 */
export const jobAttempts = pgTable(
  'millrace_job_attempts',
  {
    seq: long('seq').notNull(),
    version: long('version').notNull(),
    type: text('type').notNull(),
    worker: text('worker'),
    startedAt: long('started_at').notNull(),
    finishedAt: long('finished_at').notNull(),
    outcome: text('outcome').$type<AttemptOutcome>().notNull(),
    statusAfter: text('status_after').$type<Status>().notNull(),
    nextRunAt: long('next_run_at'),
    error: text('error'),
    errorKey: text('error_key'),
    exitCode: integer('exit_code'),
  },
  (t) => [
    primaryKey({ name: 'millrace_job_attempts_pk', columns: [t.seq, t.version] }),
    foreignKey({ name: 'millrace_job_attempts_seq', columns: [t.seq], foreignColumns: [jobs.seq] }),
    // Failure groups over a window; successes never enter it.
    index('millrace_job_attempts_failures').on(t.finishedAt, t.type, t.errorKey).where(sql`${t.errorKey} is not null`),
  ],
)

export const jobLogs = pgTable(
  'millrace_job_logs',
  {
    id: long('id').primaryKey().generatedAlwaysAsIdentity(),
    seq: long('seq').notNull(),
    version: long('version').notNull(),
    stream: text('stream').$type<LogStream>().notNull(),
    at: long('at').notNull(),
    line: text('line').notNull(),
    /** Line number within the attempt, from 1; null: written by a version that did not number lines. */
    number: long('number'),
  },
  (t) => [
    foreignKey({ name: 'millrace_job_logs_seq', columns: [t.seq], foreignColumns: [jobs.seq] }),
    index('millrace_job_logs_attempt').on(t.seq, t.version, t.id),
  ],
)

/** Settings as JSON: effective = override ?? declared ?? settings ?? environment, resolved when used. */
export const jobTypes = pgTable('millrace_job_types', {
  name: text('name').primaryKey(),
  kind: text('kind').$type<Kind>().notNull().default('job'),
  declared: text('declared').notNull().default('{}'),
  override: text('override').notNull().default('{}'),
  createdAt: long('created_at').notNull(),
  updatedAt: long('updated_at').notNull(),
})

/** Token buckets, apart from job_types so that a claim never rewrites a JSON Schema. The empty name is the whole queue. */
export const rateBuckets = pgTable('millrace_rate_buckets', {
  name: text('name').primaryKey(),
  tokens: doublePrecision('tokens').notNull(),
  refilledAt: long('refilled_at').notNull(),
})

/**
 * Exact as a sum over nodes. One row per type and status, as in SQLite, would serialise all nodes, so each node has separate rows,
 * which upkeep merges into the rows of node ''. No lower bound: one node may finish a job that another node enqueued.
 */
export const jobCounts = pgTable(
  'millrace_job_counts',
  {
    type: text('type').notNull(),
    status: text('status').$type<Status>().notNull(),
    node: text('node').notNull().default(''),
    n: long('n').notNull(),
  },
  (t) => [primaryKey({ name: 'millrace_job_counts_pk', columns: [t.type, t.status, t.node] })],
)

export const workers = pgTable('millrace_workers', {
  name: text('name').primaryKey(),
  types: text('types').notNull().default('[]'),
  startedAt: long('started_at').notNull(),
  seenAt: long('seen_at').notNull(),
  drainRequestedAt: long('drain_requested_at'),
  /** Reported by the worker itself. */
  slots: integer('slots'),
  version: text('version'),
  /** Operating-system process of the worker; a crashing job ends all jobs of the same process. */
  process: text('process'),
})

export const settings = pgTable('millrace_settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  updatedAt: long('updated_at').notNull(),
})

/** Leader election for upkeep: one lease. */
export const leadership = pgTable('millrace_leadership', {
  name: text('name').primaryKey(),
  holder: text('holder').notNull(),
  until: long('until').notNull(),
})

export const bulkOperations = pgTable('millrace_bulk_operations', {
  id: text('id').primaryKey(),
  action: text('action').$type<BulkRow['action']>().notNull(),
  filter: text('filter').notNull(),
  /** Ticks of a backfill, as JSON. */
  backfill: text('backfill'),
  /** waiting → running → done | cancelled | undoing → undone */
  state: text('state').$type<BulkState>().notNull(),
  actor: text('actor').notNull(),
  /** Start of the next chunk, descending from the newest job at creation; later jobs are not touched. */
  cursor: long('cursor').notNull(),
  matched: long('matched').notNull().default(0),
  changed: long('changed').notNull().default(0),
  skipped: long('skipped').notNull().default(0),
  undone: long('undone').notNull().default(0),
  startsAt: long('starts_at').notNull(),
  undoUntil: long('undo_until').notNull(),
  createdAt: long('created_at').notNull(),
  finishedAt: long('finished_at'),
})

/** State of a job before a bulk operation changed it, for undo. */
export const bulkItems = pgTable(
  'millrace_bulk_items',
  {
    bulkId: text('bulk_id').notNull(),
    seq: long('seq').notNull(),
    version: long('version').notNull(),
    /** The state columns before the change, as JSON. */
    before: text('before').notNull(),
    statusAfter: text('status_after').$type<Status>().notNull(),
  },
  (t) => [primaryKey({ name: 'millrace_bulk_items_pk', columns: [t.bulkId, t.seq] })],
)
