/** Classifies SQLite errors for commits and reads. */
import { QueueError } from '../../../../shared/errors.ts'
import { StoreFailed } from '../../store.ts'

export type ErrorKind = 'busy' | 'full' | 'fatal' | 'refused'

export function classifyError(error: unknown): ErrorKind {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy'
  // The index of the WAL could not grow: the error of a disk that fills up between two writes.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') return 'full'
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PROTOCOL|NOMEM)/.test(code)) return 'fatal'
  return 'refused'
}

/**
 * A read found that the file is damaged or unreadable. Fewer codes than for a write: a read may lack memory, a file
 * descriptor or space for a moment, and has no unknown outcome.
 */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT.*|NOTADB|IOERR(_(READ|SHORT_READ|CORRUPTFS|DATA))?)$/.test(codeOf(error))
}

/** Maps damage to a failure of the whole store; returns other errors unchanged. */
export function asReadError(error: unknown): unknown {
  if (!isDamage(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreFailed(damagedRead(reason), { cause: error })
}

export function damagedRead(reason: string): string {
  return `The database cannot be read (${reason}); run queuectl doctor, and restore a backup if it finds damage.`
}

/** By shape, not `instanceof`: a caller's connection may belong to another copy of better-sqlite3. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

export function diskFull(): QueueError {
  return new QueueError(
    'DISK_FULL',
    'The disk (or the database size limit) is full; nothing was stored. Free some space, then try again.',
  )
}

/** The error of a single operation, for its caller alone. */
export function asQueueError(error: unknown): QueueError {
  if (error instanceof QueueError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new QueueError('STORE_FAILED', `The database refused this operation; nothing was changed: ${reason}`)
}

/** For errors of class `fatal`. */
export function storeFailed(error: unknown): StoreFailed {
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreFailed(`The database failed (${reason}); what was being written may or may not be stored.`, {
    cause: error,
  })
}
