/** The last handler of an application: refusals in the shape that clients read, and no word of ours about faults of ours. */
import type { ErrorRequestHandler } from 'express'
import { QueueError } from '../../../shared/errors.ts'
import { asksForPage, sendRefusalPage } from '../dashboard/refusal-page.ts'
import { sendJson, sendRefusal } from './refusal.ts'

/** Express tells an error handler by its four parameters. */
export function answerErrors(report: (error: unknown) => void): ErrorRequestHandler {
  return (error, request, response, _next) => {
    if (response.headersSent) {
      // Half an answer must not look like a whole one.
      report(error)
      response.destroy()
    } else if (isForPeople(error) && asksForPage(request)) sendRefusalPage(response, error)
    else if (error instanceof QueueError) sendRefusal(response, error)
    else if (isClientsFault(error)) {
      // They were about the file, which is not sent.
      response.removeHeader('content-encoding')
      response.setHeader('cache-control', 'no-store')
      sendJson(response, error.status, { error: { message: error.message } })
    } else {
      report(error)
      sendRefusal(response, new QueueError('INTERNAL', 'The server failed at this request; its log says why.'))
    }
  }
}

/** What one meets by opening an address; the rest is about calls, and in the shape for them. */
function isForPeople(error: unknown): error is QueueError {
  return error instanceof QueueError && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND')
}

/** Express refuses some requests for files by itself, with a status: a range that is not there, a stale If-Match. */
function isClientsFault(error: unknown): error is Error & { readonly status: number } {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return false
  return error.status >= 400 && error.status < 500
}
