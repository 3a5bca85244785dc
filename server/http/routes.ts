/** All routes of the server, in the order in which they are matched. */
import express, { type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { ServerConfig } from '../base/config/server-config.ts'
import type { SessionAccess } from './auth/access.ts'
import { admit } from './auth/admission.ts'
import { isPreflight, sendPreflight, setCorsHeaders } from './auth/cors.ts'
import { sessionRouter } from './auth/sign-in.ts'
import { pageRouter } from './dashboard/static-files.ts'
import { exportHandler } from './export/export.ts'
import { checkHealth, checkReadiness, type Health, type HealthParts } from './health.ts'
import { metricsHandler } from './metrics/metrics-handler.ts'
import type { ProcessMetrics } from './metrics/process-metrics.ts'
import { openapiRouter } from './openapi/serve-openapi.ts'
import { sendJson } from './requests/error-response.ts'
import type { RequestCounts } from './requests/request-counts.ts'
import { restHandler } from './rest/rest-handler.ts'
import { type TrpcParts, trpcHandlers } from './trpc/express-handlers.ts'

export interface DashboardRouteParts extends TrpcParts {
  /** Folder of the built dashboard; null where a development server provides it. */
  readonly pageFolder: string | null
  /** Path of the dashboard as its browser sees it, without a slash at the end: '' or '/queue'. */
  readonly basePathOf: (request: Request) => string
}

export interface ServerRouteParts extends DashboardRouteParts, HealthParts {
  readonly log: Logger
  readonly config: ServerConfig & SessionAccess
  readonly requests: RequestCounts
  readonly processMetrics: ProcessMetrics
}

/** /health and /ready. Load balancers send no token; the responses contain no data of the queue. */
export function healthRoutes(parts: HealthParts): Router {
  const router = express.Router()
  router.get('/health', async (_request, response) => sendHealth(response, await checkHealth(parts)))
  router.get('/ready', async (_request, response) => sendHealth(response, await checkReadiness(parts)))
  return router
}

/** Routes below the base path. Each group authenticates its own requests, see auth/authenticate.ts. */
export function serverRoutes(parts: ServerRouteParts): Router {
  const { config, engine } = parts
  const router = express.Router()
  router.use(healthRoutes(parts))
  router.use(async (request, response, next) => {
    setCorsHeaders(request, response, config.corsOrigins)
    await engine.keyring.refresh()
    if (!isPreflight(request, response)) return next()
    admit(request, config)
    sendPreflight(response)
  })
  // /api and /v1. Before admission: the adapters call `admit` themselves, because their error bodies have another shape.
  router.use(restHandler(parts))
  router.use((request, _response, next) => {
    admit(request, config)
    next()
  })
  router.get('/metrics', metricsHandler(parts))
  router.use(openapiRouter(config.basePath)) // /openapi.json and /reference
  router.use(dashboardRoutes(parts))
  return router
}

/** The dashboard and the API that it uses. `createDashboard` mounts these alone in a host application. */
export function dashboardRoutes(parts: DashboardRouteParts): Router {
  const { engine, config: access, pageFolder, basePathOf } = parts
  const router = express.Router()
  router.use(sessionRouter({ engine, access, basePathOf })) // /session
  router.use('/trpc', trpcHandlers(parts))
  router.get('/export', exportHandler(parts))
  router.get('/dashboard', (request, response) => response.redirect(`${basePathOf(request)}/`))
  if (pageFolder !== null) router.use(pageRouter(pageFolder, basePathOf))
  return router
}

function sendHealth(response: Response, health: Health): void {
  sendJson(response, health.status === 'ok' ? 200 : 503, health)
}
