/** Checks and permissions of a database file, before and after SQLite opens it. */
import { dirname } from 'node:path'
import { examinePlace, type Placed, realFile } from '../files/file-place.ts'
import { type OwnerLock, takeOwnership } from '../files/owner-lock.ts'
import { createFolder, createPrivately, tighten } from '../files/private-files.ts'
import { mainFile } from '../host/host-client.ts'
import type { Connection } from './open.ts'
import { refuseFolder } from './open-errors.ts'
import { hasOnlyOwnTables } from './own-tables.ts'

/** Creates the file where it is missing, refuses unsupported file systems, and takes the owner lock for a server. */
export function prepareFile(file: string, placed: Placed): OwnerLock | undefined {
  refuseFolder(file)
  createFolder(dirname(file))
  createPrivately(file)
  const real = realFile(file)
  examinePlace(real, placed)
  return placed.isOwner ? takeOwnership(real, placed.report) : undefined
}

/** Removes access of other users, except from a database that also holds an application's tables: its mode is the application's. */
export function keepPrivate({ client }: Connection, onWarning: (message: string) => void): void {
  if (!hasOnlyOwnTables(client)) return
  const main = mainFile(client)
  tighten([main, `${main}-wal`, `${main}-shm`, `${main}.lock`], onWarning)
}
