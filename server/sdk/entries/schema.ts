/** The entry point `millrace/schema`: the queue's tables as Drizzle tables, to join them with those of an application. */
import * as postgresQueue from '../../../drizzle/postgres/schema.ts'
import * as postgresHistory from '../../../drizzle/postgres/schema-history.ts'
import * as sqliteQueue from '../../../drizzle/sqlite/schema.ts'
import * as sqliteHistory from '../../../drizzle/sqlite/schema-history.ts'

/** The tables of a queue on PostgreSQL, for queries through `drizzle-orm/node-postgres` or another driver of Drizzle's. */
export const postgres = { ...postgresQueue, ...postgresHistory }

/** The tables of a queue on SQLite, for queries through `drizzle-orm/better-sqlite3` or another driver of Drizzle's. */
export const sqlite = { ...sqliteQueue, ...sqliteHistory }
