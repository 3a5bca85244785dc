/** The request handler of the server: request log, security headers, direct tRPC calls, Express routes, error handler. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import type { Logger } from 'pino'
import { QueueError } from '../../shared/errors.ts'
import type { ApiContext } from '../api/context.ts'
import type { Clock } from '../base/clock.ts'
import type { ServerConfig } from '../base/config/server-config.ts'
import { ANONYMOUS } from './auth/access.ts'
import { Throttle } from './auth/throttle.ts'
import type { ProcessMetrics } from './metrics/process-metrics.ts'
import { errorHandler } from './requests/error-handler.ts'
import { setSecurityHeaders } from './requests/headers.ts'
import { OpenResponses } from './requests/open-responses.ts'
import { RequestCounts } from './requests/request-counts.ts'
import { setRequestInfo } from './requests/request-info.ts'
import { logRequest } from './requests/request-log.ts'
import { healthRoutes, serverRoutes } from './routes.ts'
import { directTrpcHandler } from './trpc/direct-handler.ts'
import type { CallParts } from './trpc/request-checks.ts'

export interface AppParts extends Pick<ApiContext, 'engine' | 'frames' | 'backups'> {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly log: Logger
  /** Folder of the built dashboard; null where a development server provides it. */
  readonly pageFolder: string | null
  readonly isClosing: () => boolean
  readonly processMetrics: ProcessMetrics
}

export interface App {
  readonly express: Express
  /** For the HTTP listener: takes plain tRPC calls itself and passes every other request to Express. */
  readonly handle: RequestListener
}

export function createApp(parts: AppParts): App {
  const { engine, clock, log } = parts
  const { basePath } = parts.config
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)

  const requests = new RequestCounts(basePath)
  // Its lines have no field to redact, and the search for one costs as much as the line.
  const requestLog = log.child({}, { redact: [] })
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const info = logRequest(request, response, { log: requestLog, clock })
    requests.track(request, response, info)
    setRequestInfo(response, info)
    setSecurityHeaders(response)
  }
  app.use((request, response, next) => {
    begin(request, response)
    next()
  })

  const throttle = new Throttle(clock, (peer) => auditThrottled(parts, peer))
  const callParts: CallParts & { config: ServerConfig } = {
    ...parts,
    config: { ...parts.config, keys: engine.keyring, sessions: engine.sessions, throttle },
    report: (error, about) => log.error({ err: error, ...about }, 'a call failed'),
  }
  const openResponses = new OpenResponses(clock)
  const routes = serverRoutes({ ...parts, ...callParts, openResponses, basePathOf: () => basePath, requests })
  // Also outside the base path: load balancers probe the root.
  app.use(healthRoutes(parts))
  app.use(basePath || '/', routes)

  app.use((request) => {
    const where = `The API is at ${basePath}/trpc, /api and /v1, the dashboard at ${basePath}/.`
    throw new QueueError('NOT_FOUND', `There is nothing at ${request.method} ${request.path}. ${where}`)
  })
  const reportRequest = (error: unknown) => log.error({ err: error }, 'a request failed')
  app.use(errorHandler(reportRequest))
  const handle = parts.config.directTrpc
    ? directTrpcHandler({ ...callParts, basePath, begin, reportRequest, next: app })
    : app
  return { express: app, handle }
}

/** Called once per minute and peer, so that the log and the audit trail are not flooded. */
function auditThrottled({ engine, log }: AppParts, peer: string): void {
  log.warn({ peer }, 'too many wrong tokens')
  engine.audit({ actor: ANONYMOUS, action: 'tokens.throttled', target: peer || 'unknown' }).catch(() => {})
}
