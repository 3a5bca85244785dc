/** Tables of groups for PostgreSQL. Same names and rules as ../sqlite/schema-groups.ts. */
import { sql } from 'drizzle-orm'
import { bigint, check, doublePrecision, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

/** Instants and counts: 64 bits as in SQLite, read as numbers. */
const long = (name: string) => bigint(name, { mode: 'number' })

/**
 * One row per key of a group with unfinished jobs, or with an override. The counts are exact: each transition of a job changes them in
 * the same transaction. Rows without jobs, tokens to wait for and overrides are deleted by maintenance.
 */
export const jobGroups = pgTable(
  'millrace_job_groups',
  {
    name: text('name').notNull(),
    key: text('key').notNull(),
    pending: long('pending').notNull().default(0),
    processing: long('processing').notNull().default(0),
    blocked: long('blocked').notNull().default(0),
    /** Theoretical arrival time of the next start (GCRA); null: no rate limit, or nothing started yet. */
    tat: doublePrecision('tat'),
    /** Nothing becomes pending before this instant: a handler threw GroupBusy. */
    busyUntil: long('busy_until'),
    /** When the next blocked job may become pending without another event; null: only an event can. */
    wakeAt: long('wake_at'),
    /** In strict order: the seq of the job that has its turn, retries included. */
    turnSeq: long('turn_seq'),
    /** In strict order with `onDead: 'stop'`: when the job that has its turn failed for good. */
    stoppedAt: long('stopped_at'),
    /** Rules of this key set by operators, as JSON; null: none. */
    override: text('override'),
    updatedAt: long('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'millrace_job_groups_pk', columns: [t.name, t.key] }),
    index('millrace_job_groups_wake').on(t.wakeAt).where(sql`${t.wakeAt} is not null`),
    check('millrace_job_groups_positive', sql`${t.pending} >= 0 and ${t.processing} >= 0 and ${t.blocked} >= 0`),
  ],
)
