/** Databases for server tests: a new SQLite file or PostgreSQL database, with direct access for the test. */
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { takeOwnership } from '../../server/store/sqlite/files/owner-lock.ts'
import { createBareDatabase, createDatabase, testDatabase } from './postgres/postgres.ts'
import { tempFolder } from './temp.ts'

type Dialect = 'sqlite' | 'postgres'
type Durability = 'full' | 'normal'
type Row = Readonly<Record<string, unknown>>

/** A new, empty database, removed at the end of the test. */
export interface Place {
  readonly dialect: Dialect
  /** As in `facts`. */
  readonly location: string
  /** Address for an engine without a server. */
  url(durability?: Durability): string
  /** Environment variables with which a server opens it. */
  settings(durability?: Durability): Readonly<Record<string, string>>
  /** Runs one statement of the SQL that both dialects share. */
  sql(text: string): Promise<readonly Row[]>
  /** Makes all updates of this table fail with this message. */
  refuseUpdates(table: string, message: string): Promise<void>
  /** Blocks all other writers until the returned function is called. */
  hold(): Promise<() => Promise<void>>
  /** True when no process has it open. PostgreSQL ends a connection a moment after its client has closed it: poll. */
  isFree(): Promise<boolean>
}

export interface PlaceOptions {
  /** The test changes the schema: the database is not reused. */
  readonly spoilt?: boolean
}

export interface Database {
  readonly name: string
  create(options?: PlaceOptions): Promise<Place>
}

/** An existing or future file. */
export function sqliteFile(file: string): Place {
  const withClient = <Result>(run: (client: SqliteDatabase.Database) => Result): Result => {
    const client = new SqliteDatabase(file)
    try {
      return run(client)
    } finally {
      client.close()
    }
  }
  return {
    dialect: 'sqlite',
    location: file,
    url: () => `sqlite:${file}`,
    settings: (durability) => ({ DB_PATH: file, ...(durability && { DURABILITY: durability }) }),
    sql: async (text) =>
      withClient((client) => {
        const statement = client.prepare<[], Row>(text)
        if (statement.reader) return statement.all()
        statement.run()
        return []
      }),
    refuseUpdates: async (table, message) =>
      withClient((client) => {
        client.exec(`CREATE TRIGGER refusing BEFORE UPDATE ON ${table} BEGIN SELECT raise(ABORT, '${message}'); END`)
      }),
    async hold() {
      const client = new SqliteDatabase(file)
      onTestFinished(() => void client.close())
      client.exec('BEGIN IMMEDIATE')
      return async () => void client.exec('ROLLBACK')
    },
    async isFree() {
      try {
        takeOwnership(file, () => {}).release()
        return true
      } catch {
        return false
      }
    },
  }
}

export const sqlite: Database = {
  name: 'SQLite',
  create: async () => sqliteFile(join(await tempFolder(), 'queue.db')),
}

const CONNECTED = `SELECT count(*)::int AS n FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'millrace%'`

/** An existing database. */
function postgresAt(address: string): Place {
  const connect = async () => {
    const client = new Client({ connectionString: address })
    await client.connect()
    return client
  }
  const sql = async (text: string): Promise<readonly Row[]> => {
    const client = await connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }
  // The test server has synchronous_commit = off; here each test chooses.
  const url = (durability?: Durability) => {
    const whole = new URL(address)
    whole.searchParams.set('options', `-c synchronous_commit=${durability === 'normal' ? 'off' : 'on'}`)
    return whole.href
  }
  return {
    dialect: 'postgres',
    location: new URL(address).pathname.slice(1),
    url,
    settings: (durability) => ({ DATABASE_URL: url(durability) }),
    sql,
    async refuseUpdates(table, message) {
      await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION '${message}'; END $$`)
      await sql(`CREATE TRIGGER refusing BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`)
    },
    async hold() {
      const client = await connect()
      onTestFinished(() => client.end())
      await client.query('BEGIN')
      await client.query('LOCK TABLE millrace_jobs IN EXCLUSIVE MODE')
      return async () => void (await client.query('ROLLBACK'))
    },
    isFree: async () => (await sql(CONNECTED))[0]?.n === 0,
  }
}

export const postgres: Database = {
  name: 'PostgreSQL',
  create: async ({ spoilt = false } = {}) =>
    postgresAt(await testDatabase(spoilt ? createBareDatabase : createDatabase)),
}

/** With a language-specific collation, as most installations have; the test server has none. */
export const postgresInGerman: Database = {
  name: 'PostgreSQL in German',
  async create() {
    const neighbour = await testDatabase(createBareDatabase)
    const { sql } = postgresAt(neighbour)
    const address = new URL(neighbour)
    address.pathname += '_de'
    const name = address.pathname.slice(1)
    onTestFinished(async () => void (await sql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
    await sql(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de-DE'`)
    return postgresAt(address.href)
  },
}

/** Every server suite runs on each of these. */
export const DATABASES: readonly Database[] = [sqlite, postgres]
