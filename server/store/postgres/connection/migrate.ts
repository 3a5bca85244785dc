/** Runs all pending migrations in one transaction, on one node at a time. */
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Pool } from 'pg'
import { DAY } from '../../../../shared/limits.ts'
import { migrationsFolder } from '../../schema/migrations-folder.ts'
import { refuseNewer } from '../../schema/newer-database.ts'
import { createJournal, findJournal, type Journal, lastApplied } from './journal.ts'

/** Advisory lock of the migrating node, `millrace` in ASCII; held until the end of the transaction. */
const LOCK = '7883951835720016741'

export interface Schema {
  readonly journal: Journal
  /** Time of the newest migration of this version. */
  readonly newest: number
}

export async function migrate(pool: Pool, folder = migrationsFolder('postgres')): Promise<Schema> {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const newest = migrations.at(-1)?.folderMillis ?? 0
  // The common case takes no lock and needs no CREATE privilege.
  const journal = await findJournal(pool)
  if (journal.isThere && (await lastApplied(pool, journal)) === newest) return { journal, newest }
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    // Waiting for another node's migration, or rebuilding a large table, may exceed the usual statement timeout.
    await client.query('SET LOCAL statement_timeout = 0')
    await client.query(withoutTimeout('SELECT pg_advisory_xact_lock($1)', [LOCK]))
    await createJournal(client)
    const applied = await lastApplied(client, journal)
    refuseNewer(applied, newest)
    for (const migration of migrations.filter((m) => m.folderMillis > applied)) {
      for (const statement of migration.sql) await client.query(withoutTimeout(statement))
      const row = [migration.hash, migration.folderMillis]
      await client.query(`INSERT INTO ${journal.table} (hash, created_at) VALUES ($1, $2)`, row)
    }
    await client.query('COMMIT')
    client.release()
    return { journal, newest }
  } catch (error) {
    // Closing the connection rolls back, even when a ROLLBACK can no longer be sent.
    client.release(true)
    throw error
  }
}

/** With a very long response timeout: the driver has no value for "no timeout". */
function withoutTimeout(text: string, values: unknown[] = []) {
  return { text, values, query_timeout: 7 * DAY }
}
