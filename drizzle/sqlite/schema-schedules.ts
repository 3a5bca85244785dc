/** Tables of schedules for SQLite. */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { TickOrigin, TickOutcome } from '../../shared/schedules/schedule.ts'

/** Settings as JSON: effective = override ?? declared. A tick changes only the columns up to `runs`. */
export const schedules = sqliteTable(
  'millrace_schedules',
  {
    name: text('name').primaryKey(),
    /** The next tick by the rule. A commit that processes it compares it, so that every tick is processed once. */
    nextTickAt: integer('next_tick_at'),
    /** When that tick is due: later by the spread. null: paused, ended or stopped. */
    nextRunAt: integer('next_run_at'),
    lastTickAt: integer('last_tick_at'),
    runs: integer('runs').notNull().default(0),
    /** Application that declared it; null: created by an operator. */
    owner: text('owner'),
    declared: text('declared'),
    override: text('override').notNull().default('{}'),
    /** Of the effective settings, for queries. */
    type: text('type').notNull(),
    pauseAfter: integer('pause_after'),
    /** Jobs in a row that failed for good. */
    failures: integer('failures').notNull().default(0),
    lastSuccessAt: integer('last_success_at'),
    lastFailureAt: integer('last_failure_at'),
    pausedAt: integer('paused_at'),
    pausedBy: text('paused_by'),
    pauseNote: text('pause_note'),
    orphanedAt: integer('orphaned_at'),
    /** When an orphaned schedule stops. */
    stopsAt: integer('stops_at'),
    /** Grows with every change except ticks and outcomes of jobs. */
    revision: integer('revision').notNull().default(1),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    index('millrace_schedules_due').on(t.nextRunAt).where(sql`${t.nextRunAt} is not null`),
    index('millrace_schedules_owner').on(t.owner).where(sql`${t.owner} is not null`),
  ],
)

/** The last ticks of each schedule. */
export const scheduleTicks = sqliteTable(
  'millrace_schedule_ticks',
  {
    schedule: text('schedule').notNull(),
    at: integer('at').notNull(),
    dueAt: integer('due_at').notNull(),
    processedAt: integer('processed_at').notNull(),
    origin: text('origin').$type<TickOrigin>().notNull(),
    outcome: text('outcome').$type<TickOutcome>().notNull(),
    jobId: text('job_id'),
    missed: integer('missed').notNull().default(0),
    note: text('note'),
  },
  (t) => [primaryKey({ name: 'millrace_schedule_ticks_pk', columns: [t.schedule, t.at] })],
)
