/** History tables for PostgreSQL: counts per minute, queue depths and the audit trail; see ../sqlite/schema-history.ts. */
import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

/** 64 bits, as in SQLite, read as numbers. */
const long = (name: string) => bigint(name, { mode: 'number' })

/** Every commit inserts rows and upkeep merges them: a minute and type may have several rows. */
export const jobMinutes = pgTable(
  'millrace_job_minutes',
  {
    /** Minutes since 1970. */
    minute: long('minute').notNull(),
    type: text('type').notNull(),
    enqueued: long('enqueued').notNull().default(0),
    completed: long('completed').notNull().default(0),
    /** Failed and crashed attempts. */
    failed: long('failed').notNull().default(0),
    /** Jobs that ended as `failed`. */
    dead: long('dead').notNull().default(0),
    /** JSON arrays of counts per bucket of shared/stats/histogram.ts. */
    waits: text('waits').notNull().default('[]'),
    runs: text('runs').notNull().default('[]'),
    /** Total run time of the finished attempts, in milliseconds. */
    runMs: long('run_ms').notNull().default(0),
  },
  (t) => [index('millrace_job_minutes_minute').on(t.minute, t.type)],
)

/** Number of jobs per type at the end of a minute; server/engine/services/depths.ts decides which rows exist. */
export const jobDepths = pgTable(
  'millrace_job_depths',
  {
    /** Minutes since 1970. */
    minute: long('minute').notNull(),
    /** '' stands for all types; its row marks the minute as recorded. */
    type: text('type').notNull(),
    /** Jobs that could be claimed. */
    ready: long('ready').notNull(),
    /** Unfinished jobs, including the ready ones. */
    backlog: long('backlog').notNull(),
  },
  (t) => [primaryKey({ name: 'millrace_job_depths_pk', columns: [t.minute, t.type] })],
)

export const audit = pgTable(
  'millrace_audit',
  {
    id: long('id').primaryKey().generatedAlwaysAsIdentity(),
    at: long('at').notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    target: text('target'),
    details: text('details').notNull().default('{}'),
  },
  // Audit entries of one job.
  (t) => [index('millrace_audit_target').on(t.target, t.id)],
)
