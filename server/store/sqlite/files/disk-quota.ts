/** Distinguishes a used-up disk quota from a broken disk: SQLite reports both as SQLITE_IOERR_WRITE. */
import { classifyError, codeOf, type ErrorKind } from '../connection/sqlite-errors.ts'
import { Ballast } from './ballast.ts'

/**
 * Like `classifyError`, for the database at `file`. SQLite maps ENOSPC to SQLITE_FULL and every other errno of a write, including
 * EDQUOT, to SQLITE_IOERR_WRITE, and better-sqlite3 does not expose the errno. A write beside the file is subject to the same
 * quota and reports it. A failed fsync is always fatal: earlier writes may be lost.
 */
export function classifyErrorAt(file: string, error: unknown): ErrorKind {
  const isQuota = codeOf(error) === 'SQLITE_IOERR_WRITE' && !new Ballast(file).canGrow()
  return isQuota ? 'full' : classifyError(error)
}
