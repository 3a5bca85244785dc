/** Entry `millrace/schema`: the queue's tables as Drizzle tables, for joins with application tables. */
import * as postgresQueue from '../../../drizzle/postgres/schema.ts'
import * as postgresHistory from '../../../drizzle/postgres/schema-history.ts'
import * as postgresSchedules from '../../../drizzle/postgres/schema-schedules.ts'
import * as sqliteQueue from '../../../drizzle/sqlite/schema.ts'
import * as sqliteHistory from '../../../drizzle/sqlite/schema-history.ts'
import * as sqliteSchedules from '../../../drizzle/sqlite/schema-schedules.ts'

/** The tables of a queue on PostgreSQL, for `drizzle-orm/node-postgres` or another Drizzle driver. */
export const postgres = { ...postgresQueue, ...postgresHistory, ...postgresSchedules }

/** The tables of a queue on SQLite, for `drizzle-orm/better-sqlite3` or another Drizzle driver. */
export const sqlite = { ...sqliteQueue, ...sqliteHistory, ...sqliteSchedules }
