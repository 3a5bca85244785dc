/** The Express application: log, headers, health, guards, then the API and the page. */
import express, { type ErrorRequestHandler, type Express, type Response } from 'express'
import type { Logger } from 'pino'
import { QueueError } from '../../shared/errors.ts'
import type { ApiContext } from '../api/context.ts'
import type { Clock } from '../clock.ts'
import type { ProcessMetrics } from '../metrics/process-metrics.ts'
import type { ServerConfig } from '../server-config.ts'
import { isPreflight, sendPreflight, setCorsHeaders } from './cors.ts'
import { admit } from './guards.ts'
import { setSecurityHeaders } from './headers.ts'
import { checkHealth, checkReadiness, type Health } from './health.ts'
import { metricsHandler } from './metrics.ts'
import { openapiRouter } from './openapi.ts'
import { pageRouter } from './page.ts'
import { sendJson, sendRefusal } from './refusal.ts'
import { RequestCounts } from './request-counts.ts'
import { keepFacts } from './request-facts.ts'
import { logRequest } from './request-log.ts'
import { restHandler } from './rest.ts'
import { sessionRouter } from './session.ts'
import { Throttle } from './throttle.ts'
import { trpcHandlers } from './trpc.ts'

export interface AppParts extends Pick<ApiContext, 'engine' | 'frames' | 'backups'> {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly log: Logger
  /** The built dashboard; null where a development server shows it. */
  readonly pageFolder: string | null
  readonly isClosing: () => boolean
  readonly processMetrics: ProcessMetrics
}

export function createApp(parts: AppParts): Express {
  const { config, engine, frames, backups, clock, log, pageFolder } = parts
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)

  const requests = new RequestCounts(config.basePath)
  app.use((request, response, next) => {
    requests.watch(request, response)
    keepFacts(response, logRequest(request, response, { log, clock }))
    setSecurityHeaders(response)
    next()
  })

  // Probes carry no token and come from anywhere: they learn how it is, nothing of what it holds.
  const health = express.Router()
  health.get('/health', async (_request, response) => sendHealth(response, await checkHealth(parts)))
  health.get('/ready', async (_request, response) => sendHealth(response, await checkReadiness(parts)))
  app.use(health)

  const throttle = new Throttle(clock, (peer) => noteThrottled(parts, peer))
  const access = { ...config, keys: engine.keyring, sessions: engine.sessions, throttle }
  const inside = express.Router()
  inside.use(health)
  inside.use(async (request, response, next) => {
    setCorsHeaders(request, response, config.corsOrigins)
    await engine.keyring.refresh()
    if (!isPreflight(request, response)) return next()
    admit(request, access)
    sendPreflight(response)
  })
  inside.use(restHandler({ engine, frames, log, config: access }))
  inside.use((request, _response, next) => {
    admit(request, access)
    next()
  })
  inside.use(sessionRouter({ engine, access, basePath: config.basePath }))
  inside.get('/metrics', metricsHandler({ ...parts, access, requests }))
  inside.get('/dashboard', (_request, response) => response.redirect(`${config.basePath}/`))
  inside.use('/trpc', trpcHandlers({ engine, frames, backups, log, clock, config: access }))
  inside.use(openapiRouter(config.basePath))
  if (pageFolder !== null) inside.use(pageRouter(pageFolder, config.basePath))
  app.use(config.basePath || '/', inside)

  app.use((request) => {
    const where = `The API is at ${config.basePath}/trpc, /api and /v1, the dashboard at ${config.basePath}/.`
    throw new QueueError('NOT_FOUND', `There is nothing at ${request.method} ${request.path}. ${where}`)
  })
  app.use(refuse(log))
  return app
}

/** Once per minute and peer, so that an operator can find out without being flooded. */
function noteThrottled({ engine, log }: AppParts, peer: string): void {
  log.warn({ peer }, 'too many wrong tokens')
  engine.audit({ actor: 'nobody', action: 'tokens.throttled', target: peer || 'unknown' }).catch(() => {})
}

function sendHealth(response: Response, health: Health): void {
  sendJson(response, health.status === 'ok' ? 200 : 503, health)
}

/** Express tells an error handler by its four parameters. */
function refuse(log: Logger): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) next(error)
    else if (error instanceof QueueError) sendRefusal(response, error)
    else if (isClientsFault(error)) sendJson(response, error.status, { error: { message: error.message } })
    else {
      log.error({ err: error }, 'a request failed')
      sendRefusal(response, new QueueError('INTERNAL', 'The server failed at this request; its log says why.'))
    }
  }
}

/** Express refuses some requests for files by itself, with a status: a range that is not there, a stale If-Match. */
function isClientsFault(error: unknown): error is Error & { readonly status: number } {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return false
  return error.status >= 400 && error.status < 500
}
