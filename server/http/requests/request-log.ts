/** One log line per request, written when its answer is out: what was asked, how it went, how long it took. Never its contents. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../../base/clock.ts'
import type { RequestFacts } from './request-facts.ts'

/** A batch names every call in its path. */
const MAX_PATH = 200
const REQUEST_ID = /^[\w.:-]{1,64}$/

export function logRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): RequestFacts {
  const startedAt = clock.monotonic()
  const facts: RequestFacts = { requestId: requestIdOf(request), rows: 0, caller: null }
  // The query carries inputs: it stays out of the log. The path is read now, because Express rewrites it while mounting.
  const path = (request.url ?? '').split('?', 1)[0]?.slice(0, MAX_PATH)
  response.setHeader('x-request-id', facts.requestId)
  // Without a listener one answer that breaks off would end the process.
  response.on('error', (error) => log.error({ err: error, requestId: facts.requestId }, 'an answer broke off'))
  response.once('close', () => {
    // Nobody saw a status that was never sent: 499, as nginx says it.
    const status = response.headersSent ? response.statusCode : 499
    const line = {
      requestId: facts.requestId,
      method: request.method,
      path,
      status,
      ms: Math.round((clock.monotonic() - startedAt) * 100) / 100,
      rows: facts.rows,
      ...(response.writableFinished ? {} : { aborted: true }),
    }
    if (status >= 500) log.error(line, 'request')
    else log.info(line, 'request')
  })
  return facts
}

/** A caller's own id is kept when it is harmless, so that both logs name the same request. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}
