/** Databases of applications with common table names, one per kind of database that a queue supports. */
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { createBareDatabase, testDatabase } from '../postgres/postgres.ts'
import { tempFolder } from '../temp.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Application {
  /** Address of the queue, in the application's database. */
  readonly url: string
  readonly handle:
    | { readonly dialect: 'sqlite'; readonly client: SqliteDatabase.Database; readonly db: ReturnType<typeof onSqlite> }
    | { readonly dialect: 'postgres'; readonly client: Client; readonly db: ReturnType<typeof onPostgres> }
  sql(text: string): Promise<readonly Row[]>
  /** Definitions and rows of all tables that do not belong to the queue. */
  dump(): Promise<unknown>
}

const TABLES = ['jobs', 'users', 'sessions', 'settings', 'tokens', 'workers', 'audit', 'schedules'] as const
/** Tables with other columns than the queue's, one row each, and an index whose name a queue might use. */
const SETUP = [
  ...TABLES.map((table) => `CREATE TABLE ${table} (id text PRIMARY KEY, about text NOT NULL, job_id text)`),
  ...TABLES.map((table) => `INSERT INTO ${table} (id, about) VALUES ('1', 'one of the ${table}')`),
  'CREATE INDEX jobs_claim ON jobs (about)',
]

const onSqlite = (client: SqliteDatabase.Database) => drizzleSqlite({ client })
const onPostgres = (client: Client) => drizzlePostgres({ client })

async function sqliteApplication(): Promise<Application> {
  const file = join(await tempFolder(), 'shop.db')
  const client = new SqliteDatabase(file)
  onTestFinished(() => void client.close())
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  const sql = async (text: string) => {
    const statement = client.prepare<[], Row>(text)
    if (statement.reader) return statement.all()
    statement.run()
    return []
  }
  for (const text of SETUP) await sql(text)
  const definitions = `SELECT type, name, tbl_name, sql FROM sqlite_schema
    WHERE tbl_name NOT LIKE 'millrace\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`
  return {
    url: `sqlite:${file}`,
    handle: { dialect: 'sqlite', client, db: onSqlite(client) },
    sql,
    dump: async () => [await sql(definitions), await rowsOf(sql)],
  }
}

async function postgresApplication(schema: string): Promise<Application> {
  const address = new URL(await testDatabase(createBareDatabase))
  if (schema !== 'public') address.searchParams.set('options', `-c search_path=${schema}`)
  const client = new Client({ connectionString: address.href })
  await client.connect()
  onTestFinished(() => client.end())
  const sql = async (text: string) => (await client.query<Row>(text)).rows
  await sql(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  for (const text of SETUP) await sql(text)
  const definitions = `SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_name NOT LIKE 'millrace\\_%' ORDER BY 1, 2, 3`
  const indexes = `SELECT schemaname, indexdef FROM pg_indexes WHERE schemaname <> 'pg_catalog'
    AND tablename NOT LIKE 'millrace\\_%' ORDER BY 1, 2`
  return {
    url: address.href,
    handle: { dialect: 'postgres', client, db: onPostgres(client) },
    sql,
    dump: async () => [await sql(definitions), await sql(indexes), await rowsOf(sql)],
  }
}

async function rowsOf(sql: Application['sql']): Promise<unknown> {
  const rows: Record<string, unknown> = {}
  for (const table of TABLES) rows[table] = await sql(`SELECT * FROM ${table} ORDER BY id`)
  return rows
}

export const APPLICATIONS: readonly (readonly [string, () => Promise<Application>])[] = [
  ['SQLite', sqliteApplication],
  ['PostgreSQL', () => postgresApplication('public')],
  ['PostgreSQL, in a schema of the search path', () => postgresApplication('shop')],
]
