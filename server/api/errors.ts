/** Errors on the tRPC wire: the engine's refusals with their own code, and nothing that tells of our insides. */
import { TRPCError } from '@trpc/server'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc'
import { ZodError } from 'zod'
import { ERRORS, type ErrorCode, QueueError } from '../../shared/errors.ts'
import { badInput } from '../engine/verbs/input.ts'

/** What went wrong in our words: tRPC wraps what a procedure throws, and refuses by itself what never reaches one. */
export function toRefusal(error: TRPCError): QueueError {
  const { cause } = error
  if (cause instanceof QueueError) return withoutInsides(cause)
  // Only what tRPC itself found wrong with an input; the same errors from inside are faults of ours.
  const isInput = error.code === 'BAD_REQUEST' || error.code === 'PARSE_ERROR'
  if (isInput && cause instanceof ZodError) return badInput(cause)
  if (isInput && cause instanceof SyntaxError)
    return new QueueError('BAD_INPUT', `The input is not JSON: ${cause.message}.`)
  const code = REFUSED_BY_TRPC[error.code]
  return code ? new QueueError(code, error.message) : withoutInsides(new QueueError('INTERNAL', error.message))
}

export function toTrpcError(error: QueueError): TRPCError {
  return new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error })
}

/** Then the error keeps its cause, for the log. */
export function isOurFault(error: TRPCError): boolean {
  return isOurs(toRefusal(error))
}

/** Not the caller's doing, and nothing the caller could change. */
export function isOurs({ code }: QueueError): boolean {
  return OURS.has(code)
}

/** An error as data, where an answer carries some beside successes. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export function toData(error: QueueError): ErrorData {
  const { code, message, details } = withoutInsides(error)
  return { code, message, details }
}

const SHUTTING_DOWN =
  'The server is shutting down, so nothing was stored; send this to another node, or try again soon.'

/** What a database says about itself is for the log. */
function withoutInsides(error: QueueError): QueueError {
  if (error.code === 'CLOSED') return new QueueError('CLOSED', SHUTTING_DOWN)
  return isOurs(error) ? new QueueError(error.code, 'The server failed at this call; its log says why.') : error
}

const OURS: ReadonlySet<ErrorCode> = new Set(['INTERNAL', 'STORE_FAILED'])

const REFUSED_BY_TRPC: Partial<Record<TRPC_ERROR_CODE_KEY, ErrorCode>> = {
  PARSE_ERROR: 'BAD_INPUT',
  BAD_REQUEST: 'BAD_INPUT',
  NOT_FOUND: 'NOT_FOUND',
  METHOD_NOT_SUPPORTED: 'WRONG_METHOD',
  PAYLOAD_TOO_LARGE: 'TOO_LARGE',
  UNSUPPORTED_MEDIA_TYPE: 'NOT_JSON',
}
