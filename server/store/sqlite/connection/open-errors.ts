/** Why a SQLite file cannot be used, in one line with its path that says what to do. */
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { QueueError } from '../../../../shared/errors.ts'
import { oldLayout } from '../../schema/old-layout.ts'
import { codeOf } from './sqlite-errors.ts'

const ANOTHER = 'choose another file with DB_PATH or the url'

/** What the file is, or holds, rules a queue in it out. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

/** Before anything is made beside it. */
export function refuseFolder(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UnfitFile(`${file} is a folder, and the queue needs a file; add a name to it, such as ${file}/queue.db.`)
  }
}

export function oldFile(file: string): UnfitFile {
  return new UnfitFile(oldLayout(file, ANOTHER))
}

export function jsonQueue(file: string): UnfitFile {
  return new UnfitFile(
    `${file} holds the jobs of json-queue in its table jobs, which Millrace does not run. Let json-queue finish them and ${ANOTHER}, ` +
      'or run queuectl init once to have both queues in this file.',
  )
}

/** An error on the way to a usable file, for the caller that named the file; other errors as they are. */
export function whyNot(error: unknown, file: string): unknown {
  if (error instanceof UnfitFile || error instanceof QueueError) return error
  const taken = error instanceof Error ? /^table \W?(\w+)\W? already exists/.exec(error.message)?.[1] : undefined
  if (taken !== undefined) {
    const message = `${file} has a table ${taken} of its own, which is also the name of one of the queue's; ${ANOTHER}.`
    return new UnfitFile(message, { cause: error })
  }
  const why = reasonFor(codeOf(error), file, pathOf(error) ?? file)
  if (why === null) return error
  const options = { cause: error }
  return why.isUnfit ? new UnfitFile(why.message, options) : new Error(why.message, options)
}

function reasonFor(code: string, file: string, path: string): { message: string; isUnfit?: boolean } | null {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return { message: `This user has no right to write ${path}. Change its owner or its mode, or ${ANOTHER}.` }
    case 'EROFS':
      return { message: `${path} is on a read-only file system. Mount it for writing, or ${ANOTHER}.` }
    case 'ENOTDIR':
    case 'EEXIST':
      return {
        message: `The folder for ${file} cannot be made, because ${inTheWay(file)} is a file. Remove it, or ${ANOTHER}.`,
      }
    case 'SQLITE_NOTADB':
      return {
        message: `${file} is not a SQLite database. To keep it, ${ANOTHER}; one that does not exist is created.`,
        isUnfit: true,
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
      return { message: `Another process holds ${file}; try again when it is done.` }
    case 'SQLITE_CORRUPT':
      return { message: `${file} is damaged. Restore a backup (docs/operations.md), or ${ANOTHER}.` }
    default:
      return null
  }
}

/** The part of a path that would have to be a folder. */
function inTheWay(file: string): string {
  for (let path = dirname(file); path !== dirname(path); path = dirname(path)) {
    if (existsSync(path)) return path
  }
  return file
}

/** The path in an error of Node's; of the side files of a database, the database. */
function pathOf(error: unknown): string | null {
  const path = error instanceof Error && 'path' in error ? error.path : null
  return typeof path === 'string' ? path.replace(/(-wal|-shm|\.lock)$/, '') : null
}
