/** Error messages for SQLite files that cannot be opened. */
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { QueueError } from '../../../../shared/errors.ts'
import { oldLayout } from '../../schema/old-layout.ts'
import { codeOf } from './sqlite-errors.ts'

const ANOTHER = 'choose another file with DB_PATH or the url'

/** The file itself or its contents rule out a queue in it. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

/** To be called before any file is created beside it. */
export function refuseFolder(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UnusableFile(
      `${file} is a folder, but the queue needs a file. Add a file name, for example ${file}/queue.db.`,
    )
  }
}

export function oldFile(file: string): UnusableFile {
  return new UnusableFile(oldLayout(file, ANOTHER))
}

export function jsonQueue(file: string): UnusableFile {
  return new UnusableFile(
    `${file} holds the jobs of json-queue in its table jobs, which Millrace does not run. Let json-queue finish them and ${ANOTHER}, ` +
      'or run queuectl init once to keep both queues in this file.',
  )
}

/** Translates an error of opening the file; returns unknown errors unchanged. */
export function toOpenError(error: unknown, file: string): unknown {
  if (error instanceof UnusableFile || error instanceof QueueError) return error
  const taken = error instanceof Error ? /^table \W?(\w+)\W? already exists/.exec(error.message)?.[1] : undefined
  if (taken !== undefined) {
    const message = `${file} already has a table ${taken} that does not belong to the queue; ${ANOTHER}.`
    return new UnusableFile(message, { cause: error })
  }
  const known = describe(codeOf(error), file, pathOf(error) ?? file)
  if (known === null) return error
  const options = { cause: error }
  return known.isUnusable ? new UnusableFile(known.message, options) : new Error(known.message, options)
}

function describe(code: string, file: string, path: string): { message: string; isUnusable?: boolean } | null {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return { message: `No permission to write ${path}. Change its owner or its mode, or ${ANOTHER}.` }
    case 'EROFS':
      return { message: `${path} is on a read-only file system. Mount it for writing, or ${ANOTHER}.` }
    case 'ENOTDIR':
    case 'EEXIST':
      return {
        message: `The folder of ${file} cannot be created, because ${nearestExisting(file)} is a file. Remove it, or ${ANOTHER}.`,
      }
    case 'SQLITE_NOTADB':
      return {
        message: `${file} is not a SQLite database. To keep it, ${ANOTHER}; a missing file is created.`,
        isUnusable: true,
      }
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_PERM':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
    case 'SQLITE_READONLY_DBMOVED':
      return {
        message: `${file} cannot be opened for writing. Check the owner and the mode of the file and of its folder, or ${ANOTHER}.`,
      }
    case 'SQLITE_FULL':
    case 'SQLITE_IOERR_SHMSIZE':
      return { message: `The disk of ${file} is full. Free some space, then start again.` }
    case 'SQLITE_BUSY':
    case 'SQLITE_BUSY_RECOVERY':
    case 'SQLITE_LOCKED':
      return { message: `${file} is locked by another process; try again when that process is done.` }
    case 'SQLITE_CORRUPT':
      return { message: `${file} is damaged. Restore a backup (docs/operations.md), or ${ANOTHER}.` }
    default:
      return null
  }
}

/** The nearest parent that exists: it would have to be a folder. */
function nearestExisting(file: string): string {
  for (let path = dirname(file); path !== dirname(path); path = dirname(path)) {
    if (existsSync(path)) return path
  }
  return file
}

/** The path in an error of Node; for a side file of a database, the path of the database. */
function pathOf(error: unknown): string | null {
  const path = error instanceof Error && 'path' in error ? error.path : null
  return typeof path === 'string' ? path.replace(/(-wal|-shm|\.lock)$/, '') : null
}
