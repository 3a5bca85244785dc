/** All tables of the queue in SQLite, from the schema files. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as queueTables from './schema.ts'
import * as accessTables from './schema-access.ts'
import * as groupTables from './schema-groups.ts'
import * as historyTables from './schema-history.ts'
import * as scheduleTables from './schema-schedules.ts'

export const tables: readonly SQLiteTable[] = Object.values({
  ...queueTables,
  ...accessTables,
  ...groupTables,
  ...historyTables,
  ...scheduleTables,
})
