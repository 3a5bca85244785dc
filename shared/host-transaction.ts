/** Structural types for caller-supplied transactions, so that our public types do not depend on a driver. */

interface BetterSqlite {
  readonly inTransaction: boolean
  readonly memory: boolean
  prepare(source: string): unknown
  pragma(source: string): unknown
}

/** Drizzle on an asynchronous driver returns promises here, and does not match. */
interface DrizzleSqlite {
  run(query: string): { readonly changes: number; readonly lastInsertRowid: number | bigint }
}

/** A pool has no `escapeLiteral`: its statements may each run on another connection. */
interface PgClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
  escapeLiteral(text: string): string
}

/** Drizzle's `db` has no `rollback`: it is no transaction. */
interface DrizzlePostgres {
  execute(query: string): PromiseLike<unknown>
  refreshMaterializedView(...view: never[]): unknown
  rollback(): never
}

/** A better-sqlite3 `Database` on which a transaction has begun, or Drizzle's `tx` or `db` on one. */
export type SqliteTransaction = BetterSqlite | DrizzleSqlite

/** A client of `pg` (not a pool) on which a transaction has begun, or Drizzle's `tx`. */
export type PostgresTransaction = PgClient | DrizzlePostgres

/** A transaction of the application on either database, for `enqueueTx`. */
export type HostTransaction = SqliteTransaction | PostgresTransaction
