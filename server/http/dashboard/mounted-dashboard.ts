/** Express application behind `createDashboard`: the dashboard routes below any path of a host application. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { QueueError } from '../../../shared/errors.ts'
import type { EventFrames } from '../../api/event-frames/event-frames.ts'
import type { Clock } from '../../base/clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { requiresToken, type SessionAccess } from '../auth/access.ts'
import { admit, requireAllHeaders } from '../auth/admission.ts'
import { errorHandler } from '../requests/error-handler.ts'
import { setSecurityHeaders } from '../requests/headers.ts'
import type { OpenResponses } from '../requests/open-responses.ts'
import { setRequestInfo } from '../requests/request-info.ts'
import { dashboardRoutes } from '../routes.ts'

export interface MountedParts {
  readonly engine: Engine
  readonly frames: EventFrames
  readonly clock: Clock
  readonly openResponses: OpenResponses
  readonly access: SessionAccess & { readonly maxBodyBytes: number }
  readonly pageFolder: string
  /** As browsers see it; null: the mount path. */
  readonly basePath: string | null
  readonly onError: (error: unknown) => void
}

/** Handles every request below its path; unknown paths get 404 and never reach the host application. */
export function mountedDashboard(parts: MountedParts): Express {
  const { engine, access, basePath, onError } = parts
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Removed so that `authorize` gets the query parser of the host application; nothing here uses one.
  delete app.settings['query parser']
  delete app.settings['query parser fn']
  app.use((_request, response, next) => {
    setRequestInfo(response, { requestId: randomUUID(), rows: 0, caller: null })
    setSecurityHeaders(response)
    // Without a listener an error on one response would end the process.
    response.on('error', onError)
    next()
  })
  app.use(admitOrAuthenticate(engine, access))
  const basePathOf = (request: Request) => basePath ?? singleSlash(request.baseUrl)
  app.use(dashboardRoutes({ ...parts, config: access, report: onError, basePathOf }))
  app.use((request) => {
    throw new QueueError('NOT_FOUND', `There is nothing at ${request.method} ${request.baseUrl}${request.path}.`)
  })
  app.use(errorHandler(onError))
  return app
}

/**
 * Takes over the settings of the host's Express application, such as `trust proxy` and the query parser, so that `authorize` sees the
 * request as the host does. Express does this itself only for applications mounted by `app.use(otherApp)`.
 */
export function inheritSettings(app: Express, request: IncomingMessage): void {
  const host = 'app' in request ? request.app : null
  if (host === app || typeof host !== 'function' || !('settings' in host)) return
  if (Object.getPrototypeOf(app.settings) !== host.settings) app.emit('mount', host)
}

/** Without `authorize` the rules of the server apply: loopback only until a token exists. */
function admitOrAuthenticate(engine: Engine, access: SessionAccess): RequestHandler {
  return async (request, _response, next) => {
    requireAllHeaders(request)
    if (access.authenticateByApplication) await access.authenticateByApplication(request)
    else {
      await engine.keyring.refresh()
      admitMounted(request, access)
    }
    next()
  }
}

/** Replaces messages that name settings of the server, which a host application does not have. */
function admitMounted(request: IncomingMessage, access: SessionAccess): void {
  try {
    admit(request, access)
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'FORBIDDEN') throw error
    const advice = requiresToken(access)
      ? 'This host name is not allowed; add it to allowedHosts of createDashboard.'
      : 'This dashboard serves its own machine alone; give createDashboard an authorize function, or create a token.'
    throw new QueueError('FORBIDDEN', advice)
  }
}

/** Two slashes at the front would make the next segment a host name. */
function singleSlash(path: string): string {
  return path.replace(/^\/+/, '/')
}
