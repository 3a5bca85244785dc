/** What SQLite's error codes mean for the queue. */
import { QueueError } from '../../../shared/errors.ts'

export type Trouble = 'busy' | 'full' | 'fatal' | 'refused'

export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy'
  // The index of the write-ahead log could not grow: what a full disk says when it fills up between two writes.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') return 'full'
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PROTOCOL|NOMEM)/.test(code)) return 'fatal'
  return 'refused'
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
