/** The Express application: log, headers, health, guards, then the API and the page. */
import express, { type Express, type Response } from 'express'
import type { Logger } from 'pino'
import { QueueError } from '../../shared/errors.ts'
import type { ApiContext } from '../api/context.ts'
import type { Clock } from '../base/clock.ts'
import type { ServerConfig } from '../base/config/server-config.ts'
import type { ProcessMetrics } from '../ops/metrics/process-metrics.ts'
import { isPreflight, sendPreflight, setCorsHeaders } from './auth/cors.ts'
import { admit } from './auth/guards.ts'
import { Throttle } from './auth/throttle.ts'
import { dashboardRouter } from './dashboard/dashboard.ts'
import { checkHealth, checkReadiness, type Health } from './health.ts'
import { metricsHandler } from './metrics.ts'
import { openapiRouter } from './openapi/serve-openapi.ts'
import { answerErrors } from './requests/answer-errors.ts'
import { setSecurityHeaders } from './requests/headers.ts'
import { OpenAnswers } from './requests/open-responses.ts'
import { sendJson } from './requests/refusal.ts'
import { RequestCounts } from './requests/request-counts.ts'
import { keepFacts } from './requests/request-facts.ts'
import { logRequest } from './requests/request-log.ts'
import { restHandler } from './rest/mount-rest.ts'
import type { TrpcParts } from './trpc.ts'

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
  inside.get('/metrics', metricsHandler({ ...parts, access, requests }))
  inside.use(openapiRouter(config.basePath))
  const report: TrpcParts['report'] = (error, about) => log.error({ err: error, ...about }, 'a call failed')
  const baseOf = () => config.basePath
  const answers = new OpenAnswers(clock)
  inside.use(dashboardRouter({ engine, frames, backups, report, clock, answers, config: access, pageFolder, baseOf }))
  app.use(config.basePath || '/', inside)

  app.use((request) => {
    const where = `The API is at ${config.basePath}/trpc, /api and /v1, the dashboard at ${config.basePath}/.`
    throw new QueueError('NOT_FOUND', `There is nothing at ${request.method} ${request.path}. ${where}`)
  })
  app.use(answerErrors((error) => log.error({ err: error }, 'a request failed')))
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
