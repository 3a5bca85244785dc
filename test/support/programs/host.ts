/** Host applications under test: with a table in the queue's database, and transactions of each kind of handle. */
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres'
import { Client } from 'pg'
import { clockTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import type { HostTransaction } from '../../../shared/host-transaction.ts'
import { type Database, describeEngine, type Opened, type Options, type Place } from '../engine.ts'
import { createDatabase } from '../postgres/postgres.ts'
import { makeTempFolder } from '../temp.ts'

export type Row = Readonly<Record<string, unknown>>

/** A transaction of the host, on a separate connection. */
export interface HostTx {
  /** Argument of enqueueTx. */
  readonly tx: HostTransaction
  sql(text: string): Promise<readonly Row[]>
  commit(): Promise<void>
  rollback(): Promise<void>
}

export interface Host {
  readonly dialect: 'sqlite' | 'postgres'
  /** The file, or the address. */
  readonly address: string
  begin(isolation?: string): Promise<HostTx>
  /** Runs a statement on another connection, outside of transactions. */
  sql(text: string): Promise<readonly Row[]>
}

type HostPlace = Place & { readonly host: Host }

export interface HostKind {
  readonly name: string
  create(): Promise<HostPlace>
}

/** The host's table. On PostgreSQL in a separate schema, so that the queue's database can be reused. */
const ORDERS = { sqlite: 'orders', postgres: 'app.orders' } as const

export function addOrder(host: Host, to: Pick<HostTx, 'sql'>, id: string): Promise<unknown> {
  return to.sql(`INSERT INTO ${ORDERS[host.dialect]} (id) VALUES ('${id}')`)
}

export async function orders(host: Host): Promise<unknown[]> {
  return (await host.sql(`SELECT id FROM ${ORDERS[host.dialect]} ORDER BY id`)).map(({ id }) => id)
}

type BeginSqlite = (client: BetterSqlite.Database) => HostTransaction

function sqliteKind(name: string, handle: BeginSqlite): HostKind {
  return {
    name,
    async create() {
      const folder = await makeTempFolder()
      const file = join(folder.path, 'queue.db')
      const clients: BetterSqlite.Database[] = []
      const connect = () => {
        const client = new BetterSqlite(file, { timeout: 0 })
        clients.push(client)
        return client
      }
      const own = connect()
      own.pragma('journal_mode = WAL')
      own.exec(`CREATE TABLE ${ORDERS.sqlite} (id TEXT PRIMARY KEY)`)
      const runOn = (client: BetterSqlite.Database) => async (text: string) => {
        const statement = client.prepare<[], Row>(text)
        if (statement.reader) return statement.all()
        statement.run()
        return []
      }
      return {
        open: async (options) => openSqliteStoreSync({ file, durability: 'normal', ...options }),
        async remove() {
          for (const client of clients) client.close()
          await folder.remove()
        },
        host: {
          dialect: 'sqlite',
          address: file,
          sql: runOn(own),
          async begin(mode = 'IMMEDIATE') {
            const client = connect()
            client.exec(`BEGIN ${mode}`)
            const end = (word: string) => async () => void client.exec(word)
            return { tx: handle(client), sql: runOn(client), commit: end('COMMIT'), rollback: end('ROLLBACK') }
          },
        },
      }
    },
  }
}

type BeginPostgres = (client: Client, isolation: string) => Promise<HostTx>

const beginClient: BeginPostgres = async (client, isolation) => {
  await client.query(`BEGIN ISOLATION LEVEL ${isolation}`)
  const end = (word: string) => async () => void (await client.query(word))
  return {
    tx: client,
    sql: async (text) => (await client.query<Row>(text)).rows,
    commit: end('COMMIT'),
    rollback: end('ROLLBACK'),
  }
}

/** A callback transaction that waits until the test commits or rolls back. */
const beginDrizzle: BeginPostgres = (client, isolation) =>
  new Promise((begun, failed) => {
    let decide: (error?: Error) => void = () => {}
    const decided = new Promise<void>((commit, rollback) => {
      decide = (error) => (error ? rollback(error) : commit())
    })
    const ended = drizzlePostgres({ client }).transaction(async (tx) => {
      await tx.execute(`SET TRANSACTION ISOLATION LEVEL ${isolation}`)
      begun({
        tx,
        sql: async (text) => (await tx.execute<Row>(text)).rows,
        async commit() {
          decide()
          await ended
        },
        async rollback() {
          decide(new Error('rolled back by the test'))
          await ended.catch(() => {})
        },
      })
      await decided
    })
    ended.catch(failed)
  })

function postgresKind(name: string, begin: BeginPostgres): HostKind {
  return {
    name,
    async create() {
      const { url, drop } = await createDatabase()
      const clients: Client[] = []
      const connect = async () => {
        const client = new Client({ connectionString: url })
        client.on('error', () => {})
        await client.connect()
        clients.push(client)
        return client
      }
      const own = await connect()
      await own.query(`CREATE SCHEMA app; CREATE TABLE ${ORDERS.postgres} (id text PRIMARY KEY)`)
      return {
        open: ({ clock, defaults }) => openPostgresStore({ url, time: clockTime(clock), defaults, poolSize: 4 }),
        async remove() {
          for (const client of clients) if (client !== own) await client.end()
          await own.query('DROP SCHEMA app CASCADE')
          await own.end()
          await drop()
        },
        host: {
          dialect: 'postgres',
          address: url,
          sql: async (text) => (await own.query<Row>(text)).rows,
          begin: async (isolation = 'READ COMMITTED') => begin(await connect(), isolation),
        },
      }
    },
  }
}

export const sqliteHandle = sqliteKind('a better-sqlite3 handle', (client) => client)
export const sqliteDrizzle = sqliteKind('Drizzle on better-sqlite3', (client) => drizzleSqlite({ client }))
export const postgresClient = postgresKind('a client of pg', beginClient)
export const postgresDrizzle = postgresKind("Drizzle's tx on pg", beginDrizzle)

export type OpenHost = (options?: Options) => Promise<Opened & { readonly host: Host }>

/** Runs the same cases with every kind of handle. */
export function describeHosts(
  subject: string,
  define: (open: OpenHost) => void,
  kinds: readonly HostKind[] = [sqliteHandle, sqliteDrizzle, postgresClient, postgresDrizzle],
): void {
  for (const kind of kinds) {
    let place: HostPlace | undefined
    const database: Database = {
      name: kind.name,
      async create() {
        place = await kind.create()
        return place
      },
    }
    describeEngine(
      subject,
      (open) =>
        define(async (options) => {
          const opened = await open(options)
          if (!place) throw new Error('the database was not created')
          return { ...opened, host: place.host }
        }),
      [database],
    )
  }
}

/** The queue's counters, and the actual number of rows. */
export async function counters(
  host: Host,
): Promise<{ readonly kept: readonly Row[]; readonly counted: readonly Row[] }> {
  const number = host.dialect === 'postgres' ? '::int' : ''
  const kept = `SELECT type, status, sum(n)${number} AS n FROM millrace_job_counts WHERE type <> '' GROUP BY type, status HAVING sum(n) <> 0`
  const counted = `SELECT type, status, count(*)${number} AS n FROM millrace_jobs GROUP BY type, status`
  const order = 'ORDER BY type, status'
  return { kept: await host.sql(`${kept} ${order}`), counted: await host.sql(`${counted} ${order}`) }
}
