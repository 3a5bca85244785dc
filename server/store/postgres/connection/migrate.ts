/** Brings a database to this version's schema: all pending migrations in one transaction, by one node at a time. */
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Pool } from 'pg'
import { DAY } from '../../../../shared/limits.ts'
import { migrationsFolder } from '../../schema/migrations-folder.ts'
import { refuseNewer } from '../../schema/newer-database.ts'
import { createJournal, findJournal, type Journal, lastApplied } from './journal.ts'

/** `millrace` in ASCII: held until the end of the transaction by whoever migrates. */
const LOCK = '7883951835720016741'

export interface Schema {
  readonly journal: Journal
  /** The time of the newest migration that this version has. */
  readonly newest: number
}

export async function migrate(pool: Pool, folder = migrationsFolder('postgres')): Promise<Schema> {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const newest = migrations.at(-1)?.folderMillis ?? 0
  // The common case takes no lock and needs no right to create anything.
  const journal = await findJournal(pool)
  if (journal.isThere && (await lastApplied(pool, journal)) === newest) return { journal, newest }
  const client = await pool.connect()
  try {
    await client.query('begin')
    // Waiting for another node's migration, or rebuilding a large table, may take longer than any other statement.
    await client.query('set local statement_timeout = 0')
    await client.query(patient('select pg_advisory_xact_lock($1)', [LOCK]))
    await createJournal(client)
    const applied = await lastApplied(client, journal)
    refuseNewer(applied, newest)
    for (const migration of migrations.filter((m) => m.folderMillis > applied)) {
      for (const statement of migration.sql) await client.query(patient(statement))
      const row = [migration.hash, migration.folderMillis]
      await client.query(`insert into ${journal.table} (hash, created_at) values ($1, $2)`, row)
    }
    await client.query('commit')
    client.release()
    return { journal, newest }
  } catch (error) {
    // Closing the connection rolls back, also where a ROLLBACK could no longer be sent.
    client.release(true)
    throw error
  }
}

/** Without the driver's own bound on answers, which has none for "none". */
function patient(text: string, values: unknown[] = []) {
  return { text, values, query_timeout: 7 * DAY }
}
