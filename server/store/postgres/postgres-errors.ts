/** What PostgreSQL's errors mean for a commit. */
import { QueueError } from '../../../shared/errors.ts'

/** again: begin the same transaction anew. unreachable: nothing happened, or nobody knows. full: no space left. */
export type Trouble = 'again' | 'unreachable' | 'full' | 'refused'

const AGAIN = new Set(['40001', '40P01', '55P03'])
/** Connection exceptions, a server that shuts down or starts up, too many connections, a statement cut off. */
const UNREACHABLE = /^(?:08|57P|53300|57014|25P03)/
const FULL = new Set(['53100', '53200'])
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN'])

export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error)
  if (code === null) return isLostConnection(error) ? 'unreachable' : 'refused'
  if (AGAIN.has(code)) return 'again'
  if (FULL.has(code)) return 'full'
  return UNREACHABLE.test(code) || NETWORK.has(code) ? 'unreachable' : 'refused'
}

export function asQueueError(error: unknown): QueueError {
  if (error instanceof QueueError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new QueueError('STORE_FAILED', `The database refused this operation: ${reason}`)
}

export function diskFull(): QueueError {
  return new QueueError(
    'DISK_FULL',
    'The disk is full: nothing was stored. Free some space, or let retention remove old jobs.',
  )
}

/** The driver's own errors have no code. */
function isLostConnection(error: unknown): boolean {
  return error instanceof Error && /terminated|timeout|closed|ended|not queryable/i.test(error.message)
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof QueueError || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
