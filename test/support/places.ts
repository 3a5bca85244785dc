/** Databases for whole servers: a new SQLite file or PostgreSQL database, and how a test looks into it from outside. */
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

/** A new, empty database of the running test; it goes when the test ends. */
export interface Place {
  readonly dialect: Dialect
  /** As `facts` tells it. */
  readonly location: string
  /** The address by itself, for an engine without a server. */
  url(durability?: Durability): string
  /** What a server is given in the environment to open it. */
  settings(durability?: Durability): Readonly<Record<string, string>>
  /** One statement, in words that both dialects understand. */
  sql(text: string): Promise<readonly Row[]>
  /** From now on rows of this table cannot be changed, and the database gives these words as its reason. */
  refuseUpdates(table: string, words: string): Promise<void>
  /** Keeps everybody else from writing until it is called off. */
  hold(): Promise<() => Promise<void>>
  /** Nobody has it open any more. */
  isFree(): Promise<boolean>
}

export interface PlaceOptions {
  /** The test changes the schema, so that nobody can use the database after it. */
  readonly spoilt?: boolean
}

export interface Database {
  readonly name: string
  create(options?: PlaceOptions): Promise<Place>
}

/** A file that is or will be there. */
export function sqliteFile(file: string): Place {
  const withClient = <Answer>(run: (client: SqliteDatabase.Database) => Answer): Answer => {
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
    refuseUpdates: async (table, words) =>
      withClient((client) => {
        client.exec(`CREATE TRIGGER refusing BEFORE UPDATE ON ${table} BEGIN SELECT raise(ABORT, '${words}'); END`)
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

/** A database that is there. */
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
  // The server of the tests answers commits before they are on disk; here that is for each test to say.
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
    async refuseUpdates(table, words) {
      await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION '${words}'; END $$`)
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

/** As most installations are, and the one of the tests is not: it sorts and compares by the rules of a language. */
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

/** Every suite of servers runs on each of these. */
export const DATABASES: readonly Database[] = [sqlite, postgres]
