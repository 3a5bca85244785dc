/** Loads better-sqlite3 when the first file is opened: one copy per process, the application's. */
import type Database from 'better-sqlite3'
import { requirePackage } from '../../../base/own-files.ts'
import { missingError, NEEDS } from '../../../base/packages.ts'

type Driver = typeof Database

let loaded: Driver | null = null

/** A bare client without the settings of the queue. */
export function openSqliteClient(file: string, options: Database.Options): Database.Database {
  return new (driver())(file, options)
}

/**
 * False for a connection of another copy of better-sqlite3. Two copies of SQLite in one process break each other's locks: when one
 * closes a file, the operating system drops the locks that the other holds on it, and commits are lost.
 */
export function isSameDriver(connection: unknown): boolean {
  return connection instanceof driver()
}

function driver(): Driver {
  loaded ??= load()
  return loaded
}

function load(): Driver {
  let found: unknown
  try {
    refuseOldNode(requirePackage('better-sqlite3/package.json'))
    found = requirePackage('better-sqlite3')
  } catch (error) {
    throw missingError(NEEDS.sqlite, error) ?? error
  }
  if (isDriver(found)) return found
  throw new Error('The installed package better-sqlite3 is not the one from npm; run: npm install better-sqlite3')
}

/** better-sqlite3 13 ends the process of Node 20 with a segmentation fault when it opens a file. */
function refuseOldNode(manifest: unknown): void {
  const version = typeof manifest === 'object' && manifest && 'version' in manifest ? String(manifest.version) : ''
  if (Number.parseInt(version, 10) < 13 || Number.parseInt(process.versions.node, 10) >= 22) return
  throw new Error(
    `better-sqlite3 ${version} needs Node 22, but this is ${process.version}; run: npm install better-sqlite3@12`,
  )
}

function isDriver(value: unknown): value is Driver {
  return typeof value === 'function' && value.name === 'Database'
}
