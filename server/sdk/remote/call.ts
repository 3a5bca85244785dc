/** One call of a procedure. It settles once: with its outcome, with an error, or when its signal is aborted. */
import type { VerbRow } from '../../../shared/verbs/verbs.ts'
import { toQueueError } from './server-errors.ts'

interface Settle {
  /** A method, because methods are bivariant: each call resolves with the result type of its verb. */
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Plain data, settled by the functions below, so that no function is created per call for that. */
export interface Call extends Settle {
  /** Of the server, for error messages. */
  readonly url: string
  /** Its name in a batch. */
  readonly name: string
  readonly row: VerbRow
  /** The input as JSON, encoded at the time of the call: later changes of the object are not sent. Undefined: no input. */
  readonly json: string | undefined
  /** How long the server may hold the call open. */
  readonly waitMs: number
  isSettled: boolean
  /** Set by the request that contains the call, to end when all its calls have settled. */
  onEnd: (() => void) | null
  /** Set if the call has a signal. */
  unlisten: (() => void) | null
}

export function resolveCall(call: Call, result: unknown): void {
  if (markSettled(call)) call.resolve(result)
}

export function rejectCall(call: Call, error: unknown): void {
  if (markSettled(call)) call.reject(toQueueError(error, call.url))
}

export function rejectOnAbort(call: Call, signal: AbortSignal): void {
  const abort = () => rejectCall(call, signal.reason)
  call.unlisten = () => signal.removeEventListener('abort', abort)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
}

/** True the first time. */
function markSettled(call: Call): boolean {
  if (call.isSettled) return false
  call.isSettled = true
  call.unlisten?.()
  call.onEnd?.()
  return true
}
