/** A connection that an application brings along, bare or inside Drizzle: found by its shape, since Drizzle may stand around it. */
import { QueueError } from '../../../../shared/errors.ts'
import { isOfThisCopy } from '../connection/driver.ts'
import type { Client } from '../connection/open.ts'

/**
 * Drizzle's `db` shows its connection as `$client`. Its `tx` does not: there it stands in the session, if at all. Refuses a
 * connection of another copy of better-sqlite3.
 */
export function findClient(handle: unknown): Client | undefined {
  const found = [handle, property(handle, '$client'), property(property(handle, 'session'), 'client')].find(isClient)
  if (!found || isOfThisCopy(found)) return found
  throw new QueueError(
    'UNSUPPORTED',
    'This database was opened by another copy of better-sqlite3 than the one Millrace uses, and two copies on one file lose data. Install one version for both (npm ls better-sqlite3 shows them, npm dedupe joins them).',
  )
}

/** The file of its main database; empty when that is in memory, or goes when the connection does. */
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
