/** Brings a database to this version's schema: all pending migrations in one transaction, so a kill leaves old or new. */
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { MIGRATIONS_TABLE } from '../../../../drizzle/migrations.ts'
import { migrationsFolder } from '../../schema/migrations-folder.ts'
import { refuseNewer } from '../../schema/newer-database.ts'
import { mainFile } from '../host/host-client.ts'
import type { Client, Connection } from './open.ts'
import { oldFile } from './open-errors.ts'
import { isOldQueue } from './own-tables.ts'

/** In Drizzle's form, so that drizzle-kit and the server agree on what has been applied. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric)`

export interface Schema {
  /** The time of the newest migration that this version has. */
  readonly newest: number
}

export function migrate({ client, db }: Connection, folder = migrationsFolder('sqlite')): Schema {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const newest = migrations.at(-1)?.folderMillis ?? 0
  // The common case takes no lock: a command line must not hold up the server just by opening the file.
  if (isJournalled(client) && lastApplied(client) === newest) return { newest }
  if (isOldQueue(client)) throw oldFile(mainFile(client))
  // SQLite rebuilds tables to change them; with foreign keys on, dropping the old one would take its children along.
  client.pragma('foreign_keys = OFF')
  try {
    db.transaction(
      () => {
        client.exec(JOURNAL)
        // An application's own tables in the same file may have some: those are not our business.
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
          throw new Error(`The migration would leave ${broken} rows without their parent; nothing was changed.`)
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

/** The instant of the newest migration that was applied; 0 before the first. */
export function lastApplied(client: Client): number {
  const row = client.prepare<[], { at: number | null }>(`SELECT max(created_at) AS at FROM ${MIGRATIONS_TABLE}`).get()
  return row?.at ?? 0
}
