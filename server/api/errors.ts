/** Errors on the tRPC wire: the engine's refusals with their own code, and nothing that tells of our insides. */
import { TRPCError } from '@trpc/server'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc'
import { ZodError } from 'zod'
import { ERRORS, type ErrorCode, QueueError } from '../../shared/errors.ts'
import { badInput } from '../engine/input.ts'

/** What went wrong in our words: tRPC wraps what a procedure throws, and refuses by itself what never reaches one. */
export function toRefusal(error: TRPCError): QueueError {
  if (error.cause instanceof QueueError) return error.cause
  if (error.cause instanceof ZodError) return badInput(error.cause)
  const code = REFUSED_BY_TRPC[error.code]
  if (!code) return new QueueError('INTERNAL', 'The server failed at this call; its log says why.')
  return new QueueError(code, error.message)
}

export function toTrpcError(error: QueueError): TRPCError {
  return new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error })
}

/** Not the caller's: then the error keeps its cause, for the log. */
export function isOurFault(error: TRPCError): boolean {
  return OURS.has(toRefusal(error).code)
}

/** An error as data, where an answer carries some beside successes. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export function toData({ code, message, details }: QueueError): ErrorData {
  return { code, message, details }
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
