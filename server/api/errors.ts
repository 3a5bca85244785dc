/** Mapping between `TRPCError` and `QueueError`; details of server faults stay in the log. */
import { TRPCError } from '@trpc/server'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc'
import { ZodError } from 'zod'
import { ERRORS, type ErrorCode, QueueError } from '../../shared/errors.ts'
import type { ErrorData } from '../../shared/outcomes.ts'
import { badInput } from '../../shared/verbs/parse-input.ts'
import type { ApiContext } from './context.ts'

/** The error for the caller. tRPC wraps what a procedure throws, and throws its own errors before a procedure runs. */
export function toQueueError(error: TRPCError): QueueError {
  const { cause } = error
  if (cause instanceof QueueError) return withoutInternals(cause)
  // With another code, these errors come from inside a procedure and are faults of the server.
  const isInput = error.code === 'BAD_REQUEST' || error.code === 'PARSE_ERROR'
  if (isInput && cause instanceof ZodError) return badInput(cause)
  if (isInput && cause instanceof SyntaxError)
    return new QueueError('BAD_INPUT', `The input is not JSON: ${cause.message}.`)
  const code = CODES_OF_TRPC[error.code]
  return code ? new QueueError(code, error.message) : withoutInternals(new QueueError('INTERNAL', error.message))
}

export function toTrpcError(error: QueueError): TRPCError {
  return new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error })
}

/** The error as a response may contain it. Server faults keep their cause, for the log. */
export function forCaller(error: TRPCError): TRPCError {
  return isServerFault(error) ? error : toTrpcError(toQueueError(error))
}

/** True for errors that the caller cannot cause or fix. They keep their cause, for the log. */
export function isServerFault(error: TRPCError): boolean {
  return isServerFaultCode(toQueueError(error))
}

function isServerFaultCode({ code }: QueueError): boolean {
  return SERVER_FAULTS.has(code)
}

/**
 * An error as JSON, in a response that also contains successes. The response carries no cause, so server faults are reported here,
 * with the fields of a call that failed alone.
 */
export function reportedErrorData(
  { report, caller }: Pick<ApiContext, 'report' | 'caller'>,
  error: unknown,
  path: string,
): ErrorData {
  const known = error instanceof QueueError ? error : new QueueError('INTERNAL', 'The operation failed.')
  if (isServerFaultCode(known)) report(error, { path, actor: caller.actor })
  return toErrorData(known)
}

function toErrorData(error: QueueError): ErrorData {
  const { code, message, details } = withoutInternals(error)
  return { code, message, details }
}

const SHUTTING_DOWN =
  'The server is shutting down, so nothing was stored; send this to another node, or try again soon.'

/** Messages of the database are for the log, not for callers. */
function withoutInternals(error: QueueError): QueueError {
  if (error.code === 'CLOSED') return new QueueError('CLOSED', SHUTTING_DOWN)
  return isServerFaultCode(error)
    ? new QueueError(error.code, 'The server failed to process this call; see its log for the reason.')
    : error
}

const SERVER_FAULTS: ReadonlySet<ErrorCode> = new Set(['INTERNAL', 'STORE_FAILED'])

const CODES_OF_TRPC: Partial<Record<TRPC_ERROR_CODE_KEY, ErrorCode>> = {
  PARSE_ERROR: 'BAD_INPUT',
  BAD_REQUEST: 'BAD_INPUT',
  NOT_FOUND: 'NOT_FOUND',
  METHOD_NOT_SUPPORTED: 'WRONG_METHOD',
  PAYLOAD_TOO_LARGE: 'TOO_LARGE',
  UNSUPPORTED_MEDIA_TYPE: 'NOT_JSON',
}
