/** Results and errors in responses of tRPC, and detection of responses that are not from Millrace. */
import { ERRORS, type ErrorCode, QueueError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json/is-object.ts'

/** The response did not come from Millrace, for example from a proxy. */
export class UnexpectedResponse extends Error {}

/** A response of tRPC has one of the two fields. */
export interface Envelope<Result> {
  readonly result?: { readonly data: Result }
  readonly error?: unknown
}

/** Returns the result of a tRPC response; throws the error that it contains. */
export function resultIn<Result>(envelope: Envelope<Result> | null | undefined): Result {
  if (envelope?.result) return envelope.result.data
  if (envelope?.error) throw errorIn(envelope.error)
  throw notFromMillrace()
}

export function notFromMillrace(): Error {
  return new UnexpectedResponse('sent JSON that is not a tRPC response')
}

/** Converts an error in the format of the server's error formatter. */
export function errorIn(error: unknown): Error {
  const { message, data } = isObject(error) ? error : {}
  if (typeof message !== 'string' || !isObject(data)) return notFromMillrace()
  return errorOf({ code: data.queueCode, message, details: data.details })
}

/** Converts an error in the format of `ErrorData`, which may come from another version. */
export function errorOf(error: unknown): Error {
  const { code, message, details } = isObject(error) ? error : {}
  if (!isCode(code)) return new UnexpectedResponse(`sent the error "${message}" without a code`)
  return new QueueError(code, String(message), isObject(details) ? details : {})
}

/** Errors without a code of Millrace become UNREACHABLE, also when the caller aborts the call. */
export function toQueueError(error: unknown, url: string): QueueError {
  if (error instanceof QueueError) return error
  const problem =
    error instanceof UnexpectedResponse
      ? `${error.message}: it is not Millrace; check the URL.`
      : `did not respond (${causeOf(error)}); check that it is running.`
  return new QueueError('UNREACHABLE', `The server at ${url} ${problem}`)
}

/** The message of the innermost cause: that of `fetch failed` itself has no details. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return (error.cause instanceof Error && causeOf(error.cause)) || error.message
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}
