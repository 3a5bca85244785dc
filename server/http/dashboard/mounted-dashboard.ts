/** The dashboard as a guest in an application of somebody else's: below any path, behind its doors or with our own. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { QueueError } from '../../../shared/errors.ts'
import type { EventFrames } from '../../api/event-frames/event-frames.ts'
import type { Clock } from '../../base/clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { admit, asksForToken } from '../auth/guards.ts'
import { requireAllHeaders } from '../auth/header-count.ts'
import type { PageAccess } from '../auth/session-cookie.ts'
import { answerErrors } from '../requests/answer-errors.ts'
import { setSecurityHeaders } from '../requests/headers.ts'
import type { OpenAnswers } from '../requests/open-responses.ts'
import { keepFacts } from '../requests/request-facts.ts'
import { dashboardRouter } from './dashboard.ts'

export interface MountedParts {
  readonly engine: Engine
  readonly frames: EventFrames
  readonly clock: Clock
  readonly answers: OpenAnswers
  readonly access: PageAccess & { readonly maxBodyBytes: number }
  readonly pageFolder: string
  /** As browsers see it; null: where the application has mounted it. */
  readonly basePath: string | null
  readonly onError: (error: unknown) => void
}

/** Answers everything below its path, what it does not know by 404: nothing goes back to the application. */
export function mountedDashboard(parts: MountedParts): Express {
  const { engine, access, basePath, onError } = parts
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Nothing here asks for one; who asks on the application's behalf gets the application's own.
  delete app.settings['query parser']
  delete app.settings['query parser fn']
  app.use((_request, response, next) => {
    keepFacts(response, { requestId: randomUUID(), rows: 0, caller: null })
    setSecurityHeaders(response)
    // Without a listener one answer that breaks off would end the process.
    response.on('error', onError)
    next()
  })
  app.use(letIn(engine, access))
  const baseOf = (request: Request) => basePath ?? ownPath(request.baseUrl)
  app.use(dashboardRouter({ ...parts, config: access, report: onError, baseOf }))
  app.use((request) => {
    throw new QueueError('NOT_FOUND', `There is nothing at ${request.method} ${request.baseUrl}${request.path}.`)
  })
  app.use(answerErrors(onError))
  return app
}

/**
 * Express gives each application its own idea of a request: whom to trust about its address, how to read its query. `authorize` must
 * see it as the application around does, on whose router or path we may be mounted without its knowing.
 */
export function inherit(app: Express, request: IncomingMessage): void {
  const host = 'app' in request ? request.app : null
  if (host === app || typeof host !== 'function' || !('settings' in host)) return
  if (Object.getPrototypeOf(app.settings) !== host.settings) app.emit('mount', host)
}

/** Without the application's word it is as on a server of its own: this machine alone, until there is a token. */
function letIn(engine: Engine, access: PageAccess): RequestHandler {
  return async (request, _response, next) => {
    requireAllHeaders(request)
    if (access.identifyVisitor) await access.identifyVisitor(request)
    else {
      await engine.keyring.refresh()
      admitHere(request, access)
    }
    next()
  }
}

/** The advice of the door names settings of the server, which an application does not have. */
function admitHere(request: IncomingMessage, access: PageAccess): void {
  try {
    admit(request, access)
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'FORBIDDEN') throw error
    const advice = asksForToken(access)
      ? 'This dashboard does not answer to that name; add it to allowedHosts of createDashboard.'
      : 'This dashboard serves its own machine alone; give createDashboard an authorize function, or make a token.'
    throw new QueueError('FORBIDDEN', advice)
  }
}

/** Two slashes at the front would make the next part the name of another server. */
function ownPath(path: string): string {
  return path.replace(/^\/+/, '/')
}
