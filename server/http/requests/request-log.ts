/** Request log: one line per request when its response ends, without contents. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../../base/clock.ts'
import type { RequestInfo } from './request-info.ts'

/** The path of a batch contains the name of every call. */
const MAX_PATH = 200
const REQUEST_ID = /^[\w.:-]{1,64}$/

export function logRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): RequestInfo {
  const startedAt = clock.monotonic()
  const info: RequestInfo = { requestId: requestIdOf(request), rows: 0, caller: null }
  // The query contains inputs, so it is not logged. The path is read now, because Express rewrites it for mounted routers.
  const path = (request.url ?? '').split('?', 1)[0]?.slice(0, MAX_PATH)
  response.setHeader('x-request-id', info.requestId)
  // Without a listener an error on one response would end the process.
  response.on('error', (error) => log.error({ err: error, requestId: info.requestId }, 'sending a response failed'))
  response.once('close', () => {
    // The client closed the connection before a status was sent: 499, as in nginx.
    const status = response.headersSent ? response.statusCode : 499
    const line = {
      requestId: info.requestId,
      method: request.method,
      path,
      status,
      ms: Math.round((clock.monotonic() - startedAt) * 100) / 100,
      rows: info.rows,
      ...(response.writableFinished ? {} : { aborted: true }),
    }
    if (status >= 500) log.error(line, 'request')
    else log.info(line, 'request')
  })
  return info
}

/** Keeps the client's request id when it is safe to log, so that the logs of both sides can be matched. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}
