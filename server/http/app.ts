/** The Express application: log, headers, health, guards, then the API and the page. */
import express, { type ErrorRequestHandler, type Express, type Response } from 'express'
import type { Logger } from 'pino'
import { QueueError } from '../../shared/errors.ts'
import type { ApiContext } from '../api/context.ts'
import type { Clock } from '../clock.ts'
import type { ServerConfig } from '../server-config.ts'
import { admit } from './guards.ts'
import { setSecurityHeaders } from './headers.ts'
import { checkHealth, checkReadiness, type Health } from './health.ts'
import { openapiRouter } from './openapi.ts'
import { pageRouter } from './page.ts'
import { sendJson, sendRefusal } from './refusal.ts'
import { keepFacts } from './request-facts.ts'
import { logRequest } from './request-log.ts'
import { trpcHandlers } from './trpc.ts'

export interface AppParts extends Pick<ApiContext, 'engine' | 'frames'> {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly log: Logger
  /** The built dashboard; null where a development server shows it. */
  readonly pageFolder: string | null
  readonly isClosing: () => boolean
}

export function createApp(parts: AppParts): Express {
  const { config, engine, frames, clock, log, pageFolder } = parts
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)

  app.use((request, response, next) => {
    keepFacts(response, logRequest(request, response, { log, clock }))
    setSecurityHeaders(response)
    next()
  })

  // Probes carry no token and come from anywhere: they learn how it is, nothing of what it holds.
  const health = express.Router()
  health.get('/health', async (_request, response) => sendHealth(response, await checkHealth(parts)))
  health.get('/ready', async (_request, response) => sendHealth(response, await checkReadiness(parts)))
  app.use(health)

  const inside = express.Router()
  inside.use(health)
  inside.use((request, _response, next) => {
    admit(request, config)
    next()
  })
  inside.use('/trpc', trpcHandlers({ engine, frames, log, config }))
  inside.use(openapiRouter(config.basePath))
  if (pageFolder !== null) inside.use(pageRouter(pageFolder, config.basePath))
  app.use(config.basePath || '/', inside)

  app.use((request) => {
    const where = `The API is at ${config.basePath}/trpc, the dashboard at ${config.basePath}/.`
    throw new QueueError('NOT_FOUND', `There is nothing at ${request.method} ${request.path}. ${where}`)
  })
  app.use(refuse(log))
  return app
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
