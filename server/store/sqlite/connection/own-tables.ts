/** Detects the tables of a queue, of an older version, of json-queue and of an application. */
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { MIGRATIONS_TABLE } from '../../../../drizzle/migrations.ts'
import { tables } from '../../../../drizzle/sqlite/tables.ts'
import { OLD_TABLES } from '../../schema/old-layout.ts'
import type { Client } from './open.ts'

const own: readonly string[] = [MIGRATIONS_TABLE, ...tables.map((table) => getTableConfig(table).name)]

/** The columns of the table `jobs` that json-queue creates. */
const JSON_QUEUE = 'id,type,data,status,result,error,retried,created_at,started_at,completed_at'

/** The queue's tables that exist. */
export function ownTables(client: Client): readonly string[] {
  return present(client, own)
}

/** True for the tables of a version before the first release without any table of this version. */
export function isOldQueue(client: Client): boolean {
  return present(client, OLD_TABLES).length === OLD_TABLES.length && ownTables(client).length <= 1
}

/** True when the table `jobs` has the columns that json-queue creates. */
export function isJsonQueue(client: Client): boolean {
  const columns = client.prepare<[], string>(`SELECT group_concat(name) FROM pragma_table_info('jobs')`)
  return columns.pluck().get() === JSON_QUEUE
}

function present(client: Client, names: readonly string[]): readonly string[] {
  const found = client.prepare<[string], string>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT value FROM json_each(?))`,
  )
  return found.pluck().all(JSON.stringify(names))
}

export function hasOnlyOwnTables(client: Client): boolean {
  const other = client.prepare<[string], number>(
    `SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     AND name NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
  )
  return other.pluck().get(JSON.stringify(own)) === undefined
}
