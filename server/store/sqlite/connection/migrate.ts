/** Runs all pending migrations in one transaction, so that a kill leaves the old or the new schema. */
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { MIGRATIONS_TABLE } from '../../../../drizzle/migrations.ts'
import { migrationsFolder } from '../../schema/migrations-folder.ts'
import { refuseNewer } from '../../schema/newer-database.ts'
import { mainFile } from '../host/host-client.ts'
import type { Client, Connection } from './open.ts'
import { oldFile } from './open-errors.ts'
import { isOldQueue } from './own-tables.ts'

/** In Drizzle's format, so that drizzle-kit and the server agree on the applied migrations. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric)`

export interface Schema {
  /** Time of the newest migration of this version. */
  readonly newest: number
}

export function migrate({ client, db }: Connection, folder = migrationsFolder('sqlite')): Schema {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const newest = migrations.at(-1)?.folderMillis ?? 0
  // The common case takes no lock: a command line that opens the file must not delay the server.
  if (isJournalled(client) && lastApplied(client) === newest) return { newest }
  if (isOldQueue(client)) throw oldFile(mainFile(client))
  // SQLite changes a table by rebuilding it. With foreign keys on, dropping the old table would delete its child rows.
  client.pragma('foreign_keys = OFF')
  try {
    db.transaction(
      () => {
        client.exec(JOURNAL)
        // Broken keys in an application's tables of the same file are not counted.
        const before = brokenKeys(client)
        const applied = lastApplied(client)
        refuseNewer(applied, newest)
        const record = client.prepare(`INSERT INTO ${MIGRATIONS_TABLE} (hash, created_at) VALUES (?, ?)`)
        for (const migration of migrations.filter((m) => m.folderMillis > applied)) {
          for (const statement of migration.sql) client.exec(statement)
          record.run(migration.hash, migration.folderMillis)
        }
        const broken = brokenKeys(client) - before
        if (broken > 0) {
          throw new Error(
            `The migration would leave ${broken} rows without their parent, so it was rolled back. Please report this as a bug.`,
          )
        }
      },
      { behavior: 'immediate' },
    )
  } finally {
    client.pragma('foreign_keys = ON')
  }
  return { newest }
}

function brokenKeys(client: Client): number {
  const rows = client.pragma('foreign_key_check')
  return Array.isArray(rows) ? rows.length : 0
}

export function isJournalled(client: Client): boolean {
  const table = client.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '${MIGRATIONS_TABLE}'`)
  return table.get() !== undefined
}

/** Time of the newest applied migration; 0 if there is no migration yet. */
export function lastApplied(client: Client): number {
  const newest = client.prepare<[], number | null>(`SELECT max(created_at) FROM ${MIGRATIONS_TABLE}`).pluck()
  return newest.get() ?? 0
}
