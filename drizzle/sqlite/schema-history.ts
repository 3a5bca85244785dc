/** History tables for SQLite: counts per minute, queue depths and the audit trail. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const jobMinutes = sqliteTable(
  'millrace_job_minutes',
  {
    /** Minutes since 1970. */
    minute: integer('minute').notNull(),
    type: text('type').notNull(),
    enqueued: integer('enqueued').notNull().default(0),
    completed: integer('completed').notNull().default(0),
    /** Failed and crashed attempts. */
    failed: integer('failed').notNull().default(0),
    /** Jobs that ended as `failed`. */
    dead: integer('dead').notNull().default(0),
    /** JSON arrays of counts per bucket of shared/stats/histogram.ts. */
    waits: text('waits').notNull().default('[]'),
    runs: text('runs').notNull().default('[]'),
    /** Total run time of the finished attempts, in milliseconds. */
    runMs: integer('run_ms').notNull().default(0),
  },
  (t) => [primaryKey({ name: 'millrace_job_minutes_pk', columns: [t.minute, t.type] })],
)

/** Number of jobs per type at the end of a minute; server/engine/services/depths.ts decides which rows exist. */
export const jobDepths = sqliteTable(
  'millrace_job_depths',
  {
    /** Minutes since 1970. */
    minute: integer('minute').notNull(),
    /** '' stands for all types; its row marks the minute as recorded. */
    type: text('type').notNull(),
    /** Jobs that could be claimed. */
    ready: integer('ready').notNull(),
    /** Unfinished jobs, including the ready ones. */
    backlog: integer('backlog').notNull(),
  },
  (t) => [primaryKey({ name: 'millrace_job_depths_pk', columns: [t.minute, t.type] })],
)

export const audit = sqliteTable(
  'millrace_audit',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    target: text('target'),
    details: text('details').notNull().default('{}'),
  },
  // Audit entries of one job.
  (t) => [index('millrace_audit_target').on(t.target, t.id)],
)
