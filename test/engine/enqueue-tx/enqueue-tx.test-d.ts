/** Result types of enqueueTx for each kind of transaction: each expected error is one, or tsc fails. Nothing here runs. */
import type BetterSqlite from 'better-sqlite3'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Client, Pool, PoolClient } from 'pg'
import type { Engine, EnqueueResult, HostTransaction } from '../../../server/index.ts'

const job = { type: 'mail', payload: 1 }
const jobs = [job]
type Results = readonly EnqueueResult[]

interface Handles {
  readonly sqlite: BetterSqlite.Database
  readonly drizzleSqlite: BetterSQLite3Database<{ orders: object }>
  readonly client: Client
  readonly poolClient: PoolClient
  readonly drizzlePostgres: NodePgDatabase<{ orders: object }>
  readonly postgresJs: PostgresJsDatabase
  readonly libsql: LibSQLDatabase
  readonly pool: Pool
  readonly either: HostTransaction
}

export function answersAtOnce(engine: Engine, { sqlite, drizzleSqlite }: Handles): void {
  const one: EnqueueResult = engine.enqueueTx(sqlite, job)
  const many: Results = engine.enqueueManyTx(drizzleSqlite, { jobs })
  drizzleSqlite.transaction((tx) => {
    const inside: EnqueueResult = engine.enqueueTx(tx, job)
    const nested: Results = tx.transaction((inner) => engine.enqueueManyTx(inner, { jobs }))
    return [inside, nested]
  })
  void [one, many]
}

export async function answersLater(engine: Engine, handles: Handles): Promise<void> {
  const { client, poolClient, drizzlePostgres, postgresJs } = handles
  const one: Promise<EnqueueResult> = engine.enqueueTx(client, job)
  const many: Promise<Results> = engine.enqueueManyTx(poolClient, { jobs })
  await drizzlePostgres.transaction(async (tx) => {
    const inside: Promise<EnqueueResult> = engine.enqueueTx(tx, job)
    const nested: Results = await tx.transaction((inner) => engine.enqueueManyTx(inner, { jobs }))
    return [await inside, nested]
  })
  await postgresJs.transaction(async (tx) => {
    const inside: Promise<EnqueueResult> = engine.enqueueTx(tx, job)
    return inside
  })
  void [await one, await many]
}

export async function answersEitherWay(engine: Engine, { either, sqlite }: Handles): Promise<void> {
  const { id }: EnqueueResult = await engine.enqueueTx(either, job)
  const [first]: Results = await engine.enqueueManyTx(either, { jobs })
  const { deduplicated } = await engine.enqueueTx(sqlite, job)
  // @ts-expect-error the result may be a promise
  engine.enqueueTx(either, job).id
  void [id, first, deduplicated]
}

export async function wrong(engine: Engine, handles: Handles): Promise<void> {
  const { sqlite, client, pool, drizzlePostgres, libsql } = handles
  // @ts-expect-error on PostgreSQL the result is a promise
  engine.enqueueTx(client, job).id
  // @ts-expect-error on SQLite the result is not a promise
  engine.enqueueTx(sqlite, job).then
  // @ts-expect-error every statement of a pool may run on another connection
  await engine.enqueueTx(pool, job)
  // @ts-expect-error on PostgreSQL Drizzle's db is not a transaction
  await engine.enqueueTx(drizzlePostgres, job)
  // @ts-expect-error asynchronous SQLite drivers are not supported
  await engine.enqueueTx(libsql, job)
  // @ts-expect-error a file is not a transaction
  engine.enqueueTx('./queue.db', job)
  // @ts-expect-error undefined is not a transaction
  engine.enqueueTx(undefined, job)
  // @ts-expect-error an unrelated object is not a transaction
  engine.enqueueTx({ begin: () => null }, job)
  // @ts-expect-error the transaction comes first
  engine.enqueueTx(job, sqlite)
  // @ts-expect-error a job needs a type
  engine.enqueueTx(sqlite, { payload: 1 })
  // @ts-expect-error unknown option
  await engine.enqueueTx(client, { ...job, retries: 3 })
  // @ts-expect-error enqueueManyTx takes an object with jobs
  engine.enqueueManyTx(sqlite, jobs)
}
