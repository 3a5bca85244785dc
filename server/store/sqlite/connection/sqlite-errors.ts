/** What SQLite's error codes mean for the queue. */
import { QueueError } from '../../../../shared/errors.ts'
import { StoreFailed } from '../../store.ts'

export type Trouble = 'busy' | 'full' | 'fatal' | 'refused'

export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy'
  // The index of the write-ahead log could not grow: what a full disk says when it fills up between two writes.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') return 'full'
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PROTOCOL|NOMEM)/.test(code)) return 'fatal'
  return 'refused'
}

/**
 * A read found that the file is damaged or cannot be read. Fewer codes than for a write: a read may lack memory, a file
 * descriptor or space for a moment, and nothing is in doubt after it.
 */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT.*|NOTADB|IOERR(_(READ|SHORT_READ|CORRUPTFS|DATA))?)$/.test(codeOf(error))
}

/** Damage as the failure of the whole store; any other error as it is. */
export function asReadError(error: unknown): unknown {
  if (!isDamage(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreFailed(damagedRead(reason), { cause: error })
}

export function damagedRead(reason: string): string {
  return `The database cannot be read (${reason}); run queuectl doctor, and restore a backup if it finds damage.`
}

/** By shape: a caller's connection may belong to another copy of better-sqlite3. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

export function diskFull(): QueueError {
  return new QueueError(
    'DISK_FULL',
    'The disk (or the database size limit) is full; nothing was stored. Free some space, then try again.',
  )
}

/** An operation that broke on its own: told to its caller alone. */
export function asQueueError(error: unknown): QueueError {
  if (error instanceof QueueError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new QueueError('STORE_FAILED', `The database refused this operation, nothing was changed: ${reason}`)
}

/** For what `troubleOf` calls fatal. */
export function storeFailed(error: unknown): StoreFailed {
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreFailed(`The database failed (${reason}); what was being written may or may not be stored.`, {
    cause: error,
  })
}
