/** Maps errors to responses and keeps internal errors out of them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler } from 'express'
import { QueueError } from '../../../shared/errors.ts'
import { prefersHtml, sendErrorPage } from './error-page.ts'
import { INTERNAL_MESSAGE, sendError, sendJson } from './error-response.ts'

/** Express recognises an error handler by its four parameters. */
export function errorHandler(report: (error: unknown) => void): ErrorRequestHandler {
  return (error, request, response, _next) => sendErrorOf(error, request, response, report)
}

export function sendErrorOf(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  report: (error: unknown) => void,
): void {
  if (response.headersSent) {
    // A partial response must not look complete.
    report(error)
    response.destroy()
  } else if (hasErrorPage(error) && prefersHtml(request)) sendErrorPage(response, error)
  else if (error instanceof QueueError) sendError(response, error)
  else if (isClientError(error)) {
    // Set for the file, which is not sent.
    response.removeHeader('content-encoding')
    response.setHeader('cache-control', 'no-store')
    sendJson(response, error.status, { error: { message: error.message } })
  } else {
    report(error)
    sendError(response, new QueueError('INTERNAL', INTERNAL_MESSAGE))
  }
}

/** Errors that a browser meets when it opens an address. The others belong to API calls and are sent as JSON. */
function hasErrorPage(error: unknown): error is QueueError {
  return error instanceof QueueError && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND')
}

/** Express itself rejects some file requests with a status, such as an invalid range or a stale If-Match. */
function isClientError(error: unknown): error is Error & { readonly status: number } {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return false
  return error.status >= 400 && error.status < 500
}
