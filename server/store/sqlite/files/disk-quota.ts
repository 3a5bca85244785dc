/** Tells a disk quota that is used up from a broken disk: SQLite reports both as SQLITE_IOERR_WRITE. */

import { codeOf, type Trouble, troubleOf } from '../connection/sqlite-errors.ts'
import { Ballast } from './ballast.ts'

/**
 * As `troubleOf`, for the database at `file`. SQLite maps ENOSPC to SQLITE_FULL and every other errno of a write, EDQUOT
 * included, to SQLITE_IOERR_WRITE, and better-sqlite3 does not expose the errno. A write beside the file meets the same quota
 * and does report it. A failed fsync stays fatal whatever its cause: what was written before it may be lost.
 */
export function troubleAt(file: string, error: unknown): Trouble {
  const isQuota = codeOf(error) === 'SQLITE_IOERR_WRITE' && !new Ballast(file).canGrow()
  return isQuota ? 'full' : troubleOf(error)
}
