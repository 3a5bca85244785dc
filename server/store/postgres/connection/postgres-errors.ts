/** What PostgreSQL's errors mean: for a commit, for a read, for a server that is being started. */
import { QueueError } from '../../../../shared/errors.ts'

/** again: begin the same transaction anew. unreachable: nothing happened, or nobody knows. full: no space left. */
export type Trouble = 'again' | 'unreachable' | 'full' | 'refused'

const AGAIN = new Set(['40001', '40P01', '55P03'])
/** Connection exceptions, a server that shuts down or starts up, too many connections, a statement cut off. */
const UNREACHABLE = /^(?:08|57P|53300|57014|25P03)/
const FULL = new Set(['53100', '53200'])
/** Nobody is there. A host without a name may be one that has not been started yet, and so may a missing socket. */
const ABSENT = new Set([
  ...['ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  'ENOENT',
])
/** Out of reach as well, but not for want of time: a statement that was cut off, a word that the other side does not know. */
const STAYS = new Set(['57014', '08P01', '08004'])
/** Somebody was there. */
const LOST = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', '57P01', '57P02', '08003', '08006'])

export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error)
  if (code === null)
    return isDrivers(error, /terminated|timeout|closed|ended|not queryable/i) ? 'unreachable' : 'refused'
  if (AGAIN.has(code)) return 'again'
  if (FULL.has(code)) return 'full'
  return UNREACHABLE.test(code) || ABSENT.has(code) || LOST.has(code) ? 'unreachable' : 'refused'
}

/** The connection broke under way, or two got in each other's way: what only reads may be asked once more at once. */
export function mayAskAgain(error: unknown): boolean {
  const code = codeOf(error)
  if (code === null) return isDrivers(error, /terminated|not queryable/i)
  return AGAIN.has(code) || LOST.has(code)
}

/** A server that is not there yet, or not ready: waiting may help, whereas a wrong password stays wrong. */
export function mayComeUp(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return !STAYS.has(code) && troubleOf(error) === 'unreachable'
}

export function asQueueError(error: unknown): QueueError {
  if (error instanceof QueueError) return error
  return new QueueError('STORE_FAILED', `The database refused this operation: ${reasonOf(error)}`)
}

export function diskFull(): QueueError {
  return new QueueError(
    'DISK_FULL',
    'The disk is full: nothing was stored. Free some space, or let retention remove old jobs.',
  )
}

/** For a read that could not be answered; its cause is for the log. */
export function outOfReach(cause: unknown): QueueError {
  const refusal = new QueueError(
    'BUSY',
    'PostgreSQL cannot be reached, or takes too long, so this could not be read; try again in a moment. The server connects again by itself.',
  )
  refusal.cause = cause
  return refusal
}

/** A host with several addresses fails with one error for all of them, and no message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof QueueError || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** The driver's own errors have no code. */
function isDrivers(error: unknown, words: RegExp): boolean {
  return error instanceof Error && !(error instanceof QueueError) && words.test(error.message)
}
