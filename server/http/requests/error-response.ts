/** Error responses in the shape of tRPC, for errors before a procedure runs. */
import type { ServerResponse } from 'node:http'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { ERRORS, type QueueError } from '../../../shared/errors.ts'

/** Replaces the message of internal errors; their cause is only logged. */
export const INTERNAL_MESSAGE = 'The server failed to process this request; see its log for the reason.'

export function sendError(response: ServerResponse, { code, message, details }: QueueError): void {
  const { trpc, http } = ERRORS[code]
  if (code === 'UNAUTHORIZED') response.setHeader('www-authenticate', 'Bearer realm="millrace"')
  const { retryAfterMs } = details
  if (typeof retryAfterMs === 'number') response.setHeader('retry-after', Math.ceil(retryAfterMs / 1_000))
  const error = {
    message,
    code: TRPC_ERROR_CODES_BY_KEY[trpc],
    data: { code: trpc, httpStatus: http, queueCode: code, details },
  }
  sendJson(response, http, { error })
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}
