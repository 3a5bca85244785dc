/** Checks and permissions of a database file, before and after SQLite opens it. */
import { dirname } from 'node:path'
import { checkFilePlace, type PlaceOptions, realFile } from '../files/file-place.ts'
import { type OwnerLock, takeOwnership } from '../files/owner-lock.ts'
import { createFolder, createPrivately, tighten } from '../files/private-files.ts'
import { mainFile } from '../host/host-client.ts'
import type { Connection } from './open.ts'
import { refuseFolder } from './open-errors.ts'
import { hasOnlyOwnTables } from './own-tables.ts'

/** Creates the file where it is missing, refuses unsupported file systems, and takes the owner lock for a server. */
export function prepareFile(file: string, options: PlaceOptions): OwnerLock | undefined {
  refuseFolder(file)
  createFolder(dirname(file))
  createPrivately(file)
  const real = realFile(file)
  checkFilePlace(real, options)
  return options.isOwner ? takeOwnership(real, options.report) : undefined
}

/** Removes the access of other users, unless the database also holds an application's tables: then the application decides. */
export function keepPrivate({ client }: Connection, onWarning: (message: string) => void): void {
  if (!hasOnlyOwnTables(client)) return
  const main = mainFile(client)
  tighten([main, `${main}-wal`, `${main}-shm`, `${main}.lock`], onWarning)
}
