/** Tables of schedules for PostgreSQL. Same names and rules as ../sqlite/schema-schedules.ts. */
import { sql } from 'drizzle-orm'
import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { TickOrigin, TickOutcome } from '../../shared/schedules/schedule.ts'

/** Instants and counts: 64 bits as in SQLite, read as numbers. */
const long = (name: string) => bigint(name, { mode: 'number' })

/** Settings as JSON: effective = override ?? declared. A tick changes only the columns up to `runs`. */
export const schedules = pgTable(
  'millrace_schedules',
  {
    name: text('name').primaryKey(),
    /** The next tick by the rule. A commit that processes it compares it, so that every tick is processed once. */
    nextTickAt: long('next_tick_at'),
    /** When that tick is due: later by the spread. null: paused, ended or stopped. */
    nextRunAt: long('next_run_at'),
    lastTickAt: long('last_tick_at'),
    runs: long('runs').notNull().default(0),
    /** Application that declared it; null: created by an operator. */
    owner: text('owner'),
    declared: text('declared'),
    override: text('override').notNull().default('{}'),
    /** Of the effective settings, for queries. */
    type: text('type').notNull(),
    pauseAfter: long('pause_after'),
    /** Jobs in a row that failed for good. */
    failures: long('failures').notNull().default(0),
    lastSuccessAt: long('last_success_at'),
    lastFailureAt: long('last_failure_at'),
    pausedAt: long('paused_at'),
    pausedBy: text('paused_by'),
    pauseNote: text('pause_note'),
    orphanedAt: long('orphaned_at'),
    /** When an orphaned schedule stops. */
    stopsAt: long('stops_at'),
    /** Grows with every change except ticks and outcomes of jobs. */
    revision: long('revision').notNull().default(1),
    createdAt: long('created_at').notNull(),
    updatedAt: long('updated_at').notNull(),
  },
  (t) => [
    index('millrace_schedules_due').on(t.nextRunAt).where(sql`${t.nextRunAt} is not null`),
    index('millrace_schedules_owner').on(t.owner).where(sql`${t.owner} is not null`),
  ],
)

/** The last ticks of each schedule. */
export const scheduleTicks = pgTable(
  'millrace_schedule_ticks',
  {
    schedule: text('schedule').notNull(),
    at: long('at').notNull(),
    dueAt: long('due_at').notNull(),
    processedAt: long('processed_at').notNull(),
    origin: text('origin').$type<TickOrigin>().notNull(),
    outcome: text('outcome').$type<TickOutcome>().notNull(),
    jobId: text('job_id'),
    missed: long('missed').notNull().default(0),
    note: text('note'),
  },
  (t) => [primaryKey({ name: 'millrace_schedule_ticks_pk', columns: [t.schedule, t.at] })],
)
