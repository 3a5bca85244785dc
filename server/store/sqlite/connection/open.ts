/** Opens a SQLite file with the settings of the queue: WAL, fsync, a SQLite without the WAL-reset bug. */
import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { openSqliteClient } from './driver.ts'

/** Earlier versions can corrupt a database when the WAL is reset. */
const MIN_SQLITE = [3, 51, 3] as const
const WAL_LIMIT_BYTES = 64 * 1024 * 1024
/** 32 MiB: fewer, larger checkpoints cut the p99 of a commit from 4.4 to 1.6 ms. */
export const AUTOCHECKPOINT_PAGES = 8_000
/** SQLite walks through the whole cache at the end of each commit that balanced a tree, which took 90 µs with 64 MiB. */
const CACHE_KIB = 16_384
const OPEN_TIMEOUT_MS = 5_000

export type Client = Database.Database
export type Durability = 'full' | 'normal'

export type QueryBuilder = BetterSQLite3Database

export interface Connection {
  readonly client: Client
  readonly db: QueryBuilder
}

/** Drizzle on this very connection: its statements are part of the transaction that is open on it. */
export function queryBuilder(client: Client): QueryBuilder {
  return drizzle({ client })
}

export interface SqliteConnectionOptions {
  readonly file: string
  readonly durability: Durability
  /** Size limit of the file; default: no limit. */
  readonly maxBytes?: number | null
}

export function openSqliteConnection({ file, durability, maxBytes = null }: SqliteConnectionOptions): Connection {
  const client = openSqliteClient(file, { timeout: OPEN_TIMEOUT_MS })
  try {
    assertSqliteVersion(client)
    // Takes effect on a new file only; on an existing file it would wait for the current writer.
    if (client.pragma('page_count', { simple: true }) === 0) client.pragma('auto_vacuum = INCREMENTAL')
    client.pragma('journal_mode = WAL')
    client.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    client.pragma('foreign_keys = ON')
    if (maxBytes !== null) client.pragma(`max_page_count = ${Math.ceil(maxBytes / pageSize(client))}`)
    client.pragma('temp_store = MEMORY')
    client.pragma(`cache_size = -${CACHE_KIB}`)
    client.pragma(`wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`)
    client.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
    return { client, db: queryBuilder(client) }
  } catch (error) {
    client.close()
    throw error
  }
}

function pageSize(client: Client): number {
  return Number(client.pragma('page_size', { simple: true }))
}

/** True when the last process did not close the file: its WAL still exists. */
export function wasNotClosed(file: string): boolean {
  return file !== ':memory:' && walBytes(file) > 0
}

export function walBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

export function walIsLong(file: string): boolean {
  return file !== ':memory:' && walBytes(file) > WAL_LIMIT_BYTES
}

function assertSqliteVersion(client: Client): void {
  const version = sqliteVersion(client)
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const [minMajor, minMinor, minPatch] = MIN_SQLITE
  const newer = major - minMajor || minor - minMinor || patch - minPatch
  if (newer < 0) {
    throw new Error(`SQLite ${version} can corrupt a WAL database; install better-sqlite3 12.8.0 or later.`)
  }
}

export function sqliteVersion(client: Client): string {
  return client.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? 'unknown'
}
