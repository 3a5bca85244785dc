/**
 * Handles plain tRPC calls on node:http, in front of Express. tRPC's Express adapter builds a web Request, Response and several streams
 * for each request, which costs more than the call itself: see `npm run bench:network` for the difference.
 *
 * The checks, the router, the context, the log and the bytes of the response are those of the Express handlers.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { CallContext } from '../../../shared/queue.ts'
import { admit } from '../auth/admission.ts'
import { setCorsHeaders } from '../auth/cors.ts'
import { sendErrorOf } from '../requests/error-handler.ts'
import { requireJson } from '../requests/read-json.ts'
import { runCalls } from './direct-calls.ts'
import { type DirectRequest, readDirectRequest } from './direct-request.ts'
import {
  authenticateRequest,
  type CallParts,
  contextOf,
  readBody,
  reportFault,
  requireShortBatch,
} from './request-checks.ts'

export interface DirectParts extends CallParts {
  readonly basePath: string
  /** Starts the log line, the counters and the security headers of a request. */
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void
  /** Logs errors outside a call. */
  readonly reportRequest: (error: unknown) => void
  /** Takes every other request. */
  readonly next: RequestListener
}

export function directTrpcHandler(parts: DirectParts): RequestListener {
  return (request, response) => {
    const direct = readDirectRequest(request, parts.basePath)
    if (direct === null) parts.next(request, response)
    else void handle(parts, direct, request, response)
  }
}

async function handle(
  parts: DirectParts,
  direct: DirectRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { engine, config, begin, reportRequest } = parts
  begin(request, response)
  try {
    setCorsHeaders(request, response, config.corsOrigins)
    await engine.keyring.refresh()
    admit(request, config)
    await authenticateRequest(request, response, config)
    requireJson(request)
    requireShortBatch(direct.paths.length)
    const text = request.method === 'POST' ? await readBody(request, config) : direct.urlInput
    const isAlone = direct.paths.length === 1
    const ctx = contextOf(parts, { request, response, isAlone, mayWait: isAlone })
    const { status, body } = await runCalls(direct, {
      ctx,
      text,
      context: new ResponseContext(response),
      onError: (error, path) => reportFault(parts, error, { path, actor: ctx.caller.actor }),
    })
    response.statusCode = status
    response.setHeader('content-type', 'application/json')
    response.setHeader('vary', config.corsOrigins.length > 0 ? 'trpc-accept, accept, origin' : 'trpc-accept, accept')
    response.end(body)
  } catch (error) {
    sendErrorOf(error, request, response, reportRequest)
  }
}

/** Most calls do not read their signal, so it is created at the first use. */
class ResponseContext implements CallContext {
  private readonly response: ServerResponse
  private created: AbortSignal | null = null

  constructor(response: ServerResponse) {
    this.response = response
  }

  /** Aborted when the client disconnects before the response is sent. */
  get signal(): AbortSignal {
    this.created ??= disconnectSignal(this.response)
    return this.created
  }
}

function disconnectSignal(response: ServerResponse): AbortSignal {
  if (response.closed) return AbortSignal.abort()
  const controller = new AbortController()
  // After the response nothing listens, and an abort would build an error object for each request.
  response.once('close', () => response.writableFinished || controller.abort())
  return controller.signal
}
