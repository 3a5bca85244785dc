/** All tables of the queue in PostgreSQL, from the schema files. */
import type { PgTable } from 'drizzle-orm/pg-core'
import * as queueTables from './schema.ts'
import * as accessTables from './schema-access.ts'
import * as groupTables from './schema-groups.ts'
import * as historyTables from './schema-history.ts'

export const tables: readonly PgTable[] = Object.values({
  ...queueTables,
  ...accessTables,
  ...groupTables,
  ...historyTables,
})
