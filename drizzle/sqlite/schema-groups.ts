/** Tables of groups for SQLite: limits per key. */
import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * One row per key of a group with unfinished jobs, or with an override. The counts are exact: each transition of a job changes them in
 * the same transaction. Rows without jobs, tokens to wait for and overrides are deleted by maintenance.
 */
export const jobGroups = sqliteTable(
  'millrace_job_groups',
  {
    name: text('name').notNull(),
    key: text('key').notNull(),
    pending: integer('pending').notNull().default(0),
    processing: integer('processing').notNull().default(0),
    blocked: integer('blocked').notNull().default(0),
    /** Theoretical arrival time of the next start (GCRA); null: no rate limit, or nothing started yet. */
    tat: real('tat'),
    /** Nothing becomes pending before this instant: a handler threw GroupBusy. */
    busyUntil: integer('busy_until'),
    /** When the next blocked job may become pending without another event; null: only an event can. */
    wakeAt: integer('wake_at'),
    /** In strict order: the seq of the job that has its turn, retries included. */
    turnSeq: integer('turn_seq'),
    /** In strict order with `onDead: 'stop'`: when the job that has its turn failed for good. */
    stoppedAt: integer('stopped_at'),
    /** Rules of this key set by operators, as JSON; null: none. */
    override: text('override'),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'millrace_job_groups_pk', columns: [t.name, t.key] }),
    index('millrace_job_groups_wake').on(t.wakeAt).where(sql`${t.wakeAt} is not null`),
    check('millrace_job_groups_positive', sql`${t.pending} >= 0 and ${t.processing} >= 0 and ${t.blocked} >= 0`),
  ],
)
