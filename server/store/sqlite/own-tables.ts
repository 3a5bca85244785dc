/** Tells a database of the queue alone from one in which an application has tables of its own. */
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { MIGRATIONS_TABLE } from '../../../drizzle/migrations.ts'
import { tables } from '../../../drizzle/sqlite/tables.ts'
import type { Client } from './open.ts'

const own: readonly string[] = [MIGRATIONS_TABLE, ...tables.map((table) => getTableConfig(table).name)]

/** Those that are there. */
export function ownTables(client: Client): readonly string[] {
  const found = client.prepare<[string], string>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT value FROM json_each(?))`,
  )
  return found.pluck().all(JSON.stringify(own))
}

/** After the migrations, so that no table of an older version is taken for another's. */
export function hasOnlyOwnTables(client: Client): boolean {
  const other = client.prepare<[string], number>(
    `SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     AND name NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
  )
  return other.pluck().get(JSON.stringify(own)) === undefined
}
