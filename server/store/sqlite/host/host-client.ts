/** Finds the better-sqlite3 connection of an application, bare or inside Drizzle. */
import { QueueError } from '../../../../shared/errors.ts'
import { isSameDriver } from '../connection/driver.ts'
import type { Client } from '../connection/open.ts'

/**
 * Drizzle's `db` exposes its connection as `$client`. Its `tx` does not; there it is in the session. Refuses a connection of
 * another copy of better-sqlite3.
 */
export function findClient(handle: unknown): Client | undefined {
  const found = [handle, property(handle, '$client'), property(property(handle, 'session'), 'client')].find(isClient)
  if (!found || isSameDriver(found)) return found
  throw new QueueError(
    'UNSUPPORTED',
    'This database was opened with another copy of better-sqlite3 than the one Millrace uses; two copies on one file lose data. Install one version for both (npm ls better-sqlite3 lists them, npm dedupe merges them).',
  )
}

/** Path of the main database; empty for a database in memory and for a temporary one. */
export function mainFile(client: Client): string {
  const text = "SELECT file FROM pragma_database_list WHERE name = 'main'"
  return client.prepare<[], string>(text).pluck().get() ?? ''
}

function isClient(value: unknown): value is Client {
  return typeof property(value, 'inTransaction') === 'boolean' && typeof property(value, 'prepare') === 'function'
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
