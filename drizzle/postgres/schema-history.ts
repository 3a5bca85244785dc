/** The tables of what has happened, in PostgreSQL, the twin of ../sqlite/schema-history.ts; the others are in schema.ts. */
import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

/** 64 bits, as in SQLite, read as numbers. */
const long = (name: string) => bigint(name, { mode: 'number' })

/** Added to with every commit, and folded: several rows may tell of the same minute and type. */
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
    /** Jobs that became `failed` for good. */
    dead: long('dead').notNull().default(0),
    /** JSON arrays of counts per bucket of shared/histogram.ts. */
    waits: text('waits').notNull().default('[]'),
    runs: text('runs').notNull().default('[]'),
    /** How long the attempts that ended took, in milliseconds, added up. */
    runMs: long('run_ms').notNull().default(0),
  },
  (t) => [index('millrace_job_minutes_minute').on(t.minute, t.type)],
)

/** How many jobs each type had at the end of a minute; see server/engine/services/depths.ts for which rows there are. */
export const jobDepths = pgTable(
  'millrace_job_depths',
  {
    /** Minutes since 1970. */
    minute: long('minute').notNull(),
    /** '' stands for all types: its row says that the minute was recorded. */
    type: text('type').notNull(),
    /** Jobs that could be claimed. */
    ready: long('ready').notNull(),
    /** Jobs that were not finished, those that are ready included. */
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
  // What operators did to one job.
  (t) => [index('millrace_audit_target').on(t.target, t.id)],
)
