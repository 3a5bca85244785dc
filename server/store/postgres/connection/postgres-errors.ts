/** Classifies PostgreSQL errors for commits, reads and start-up. */
import { DrizzleQueryError } from 'drizzle-orm'
import { QueueError } from '../../../../shared/errors.ts'

/** again: retry the transaction. unreachable: nothing was stored, or the outcome is unknown. full: no disk space. */
export type ErrorKind = 'again' | 'unreachable' | 'full' | 'refused'

const AGAIN = new Set(['40001', '40P01', '55P03'])
/** Connection exceptions, a server that shuts down or starts up, too many connections, a cancelled statement. */
const UNREACHABLE = /^(?:08|57P|53300|57014|25P03)/
const FULL = new Set(['53100', '53200'])
/** No server answered. An unknown host name or a missing socket may belong to a server that has not been started yet. */
const ABSENT = new Set([
  ...['ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  'ENOENT',
])
/** Unreachable too, but waiting does not help: a cancelled statement, a protocol violation, a rejected connection. */
const PERMANENT = new Set(['57014', '08P01', '08004'])
/** An established connection was lost. */
const LOST = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', '57P01', '57P02', '08003', '08006'])

export function classifyError(error: unknown): ErrorKind {
  const code = codeOf(error)
  if (code === null)
    return isDriverError(error, /terminated|timeout|closed|ended|not queryable/i) ? 'unreachable' : 'refused'
  if (AGAIN.has(code)) return 'again'
  if (FULL.has(code)) return 'full'
  return UNREACHABLE.test(code) || ABSENT.has(code) || LOST.has(code) ? 'unreachable' : 'refused'
}

/** The connection broke during the statement, or two transactions conflicted: a read may be retried at once. */
export function canRetryRead(error: unknown): boolean {
  const code = codeOf(error)
  if (code === null) return isDriverError(error, /terminated|not queryable/i)
  return AGAIN.has(code) || LOST.has(code)
}

/** The server is not running yet, or not ready: waiting may help. A wrong password stays wrong. */
export function mayBecomeAvailable(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return !PERMANENT.has(code) && classifyError(error) === 'unreachable'
}

export function asQueueError(error: unknown): QueueError {
  if (error instanceof QueueError) return error
  return new QueueError('STORE_FAILED', `The database refused this operation; nothing was changed: ${reasonOf(error)}`)
}

export function diskFull(): QueueError {
  return new QueueError(
    'DISK_FULL',
    'The disk is full; nothing was stored. Free some space, or let retention remove old jobs.',
  )
}

/** For a read that failed; its cause is for the log. */
export function storeUnavailable(cause: unknown): QueueError {
  const refusal = new QueueError(
    'BUSY',
    'PostgreSQL cannot be reached, or takes too long to respond; nothing was read. Try again in a moment: the server reconnects by itself.',
  )
  refusal.cause = cause
  return refusal
}

/** A host with several addresses fails with one AggregateError for all of them, without a message. */
export function reasonOf(wrapped: unknown): string {
  const error = driverError(wrapped)
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

export function codeOf(wrapped: unknown): string | null {
  const error = driverError(wrapped)
  if (!(error instanceof Error) || error instanceof QueueError || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** The error of the driver: Drizzle wraps it in an error whose message is the SQL text. */
export function driverError(error: unknown): unknown {
  return error instanceof DrizzleQueryError && error.cause ? error.cause : error
}

/** Errors that pg itself throws have no code. */
function isDriverError(wrapped: unknown, message: RegExp): boolean {
  const error = driverError(wrapped)
  return error instanceof Error && !(error instanceof QueueError) && message.test(error.message)
}
