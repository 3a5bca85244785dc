/** `createDashboard`: the dashboard as middleware for Express, Fastify, Hono or plain Node. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { QueueError } from '../../shared/errors.ts'
import { refuseUnknownKeys } from '../../shared/json/unknown-keys.ts'
import { limits } from '../../shared/limits.ts'
import type { Queue } from '../../shared/queue.ts'
import { EventFrames } from '../api/event-frames/event-frames.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { readBasePath, readBlockList } from '../base/config/server-config.ts'
import { loadPart, NEEDS, requireInstalled } from '../base/packages.ts'
import type { Engine } from '../engine/engine.ts'
import { ApplicationUsers, type Authorize } from '../http/auth/application-users.ts'
import { Throttle } from '../http/auth/throttle.ts'
import { pageFolder } from '../http/dashboard/page-folder.ts'
import { OpenResponses } from '../http/requests/open-responses.ts'
import { Webhooks } from '../ops/webhooks/webhooks.ts'

/** Options of `createDashboard`. */
export interface DashboardOptions<Request extends IncomingMessage = IncomingMessage> {
  /**
   * Decides for every request whether it is allowed. Without it the dashboard serves loopback addresses only until the queue has
   * a token, and then every client that signs in with one.
   */
  readonly authorize?: Authorize<Request>
  /** Path prefix to remove from the URL, such as `/queue`: for Fastify, Hono and plain Node. Default: none, since Express removes it. */
  readonly prefix?: string
  /** The path as browsers see it, if a proxy removes a part of it. Default: `prefix`, or the mount path in Express. */
  readonly basePath?: string
  /** Host names of the dashboard if a proxy changes the Host header, with the port unless it is the default of the scheme. */
  readonly allowedHosts?: readonly string[]
  /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
  readonly trustedProxies?: readonly string[]
  /**
   * Without `authorize` and tokens: local callers may enqueue jobs of kind `command`, which run as the user of their worker, and create
   * tokens. Default: false.
   */
  readonly commandsWithoutToken?: boolean
  /** Maximum size of a request body. Default: 8 MiB. A body parser in front of the dashboard applies its own limit first. */
  readonly maxBodyBytes?: number
  /** Receives internal errors. Default: `process.emitWarning`. */
  readonly onError?: (error: unknown) => void
  /** Also delivers the queue's webhooks, as a server does. Default: true. */
  readonly webhooks?: boolean
  /** Default: the system clock. */
  readonly clock?: Clock
}

const OPTIONS = [
  ...['authorize', 'prefix', 'basePath', 'allowedHosts', 'trustedProxies', 'commandsWithoutToken', 'maxBodyBytes'],
  ...['onError', 'webhooks', 'clock'],
]

/** The mounted dashboard: middleware with a `close`. */
export interface Dashboard<Request extends IncomingMessage = IncomingMessage> {
  /** Handles every request below its path. */
  (request: Request, response: ServerResponse): void
  /** Closes open event streams and exports, so that the process can exit. Call it before the queue's `close`. */
  close(): Promise<void>
}

/** `app.use('/queue', createDashboard(queue))` serves the page and, at `/queue/trpc`, the API that it uses. */
export function createDashboard<Request extends IncomingMessage = IncomingMessage>(
  queue: Queue,
  options: DashboardOptions<Request> = {},
): Dashboard<Request> {
  refuseUnknownKeys(options, OPTIONS, 'A dashboard')
  requireEngine(queue)
  requireInstalled(NEEDS.dashboard)
  const folder = pageFolder()
  if (folder === null) throw new Error('The dashboard is not built; run the compiled package.')
  return openDashboard(queue, folder, options)
}

export function openDashboard<Request extends IncomingMessage>(
  queue: Queue,
  pageFolder: string,
  options: DashboardOptions<Request>,
): Dashboard<Request> {
  const engine = requireEngine(queue)
  const prefix = readBasePath(options.prefix ?? '', 'prefix')
  const {
    authorize,
    basePath = options.prefix,
    allowedHosts = [],
    trustedProxies,
    onError = warn,
    clock = systemClock,
  } = options
  const frames = new EventFrames({ events: engine.events, counts: () => engine.counts(), clock, onError })
  const users = authorize && new ApplicationUsers(authorize, clock)
  const access = {
    ...{
      authToken: null,
      allowIps: null,
      corsOrigins: [],
      commandsWithoutToken: options.commandsWithoutToken ?? false,
    },
    maxBodyBytes: options.maxBodyBytes ?? limits.bodyBytes,
    allowedHosts: allowedHosts.map((name) => name.toLowerCase()),
    trustedProxies: readBlockList('trustedProxies', trustedProxies),
    keys: engine.keyring,
    sessions: engine.sessions,
    throttle: new Throttle(clock),
    ...(users && { authenticateByApplication: users.authenticate }),
  }
  const openResponses = new OpenResponses(clock)
  const path = basePath === undefined ? null : readBasePath(basePath)
  const parts = { engine, frames, clock, openResponses, access, pageFolder, basePath: path, onError }
  const mounting = loadPart(NEEDS.dashboard, async () => {
    const { mountedDashboard, inheritSettings } = await import('../http/dashboard/mounted-dashboard.ts')
    const app = mountedDashboard(parts)
    return (request: IncomingMessage, response: ServerResponse) => {
      inheritSettings(app, request)
      app(request, response)
    }
  })
  mounting.catch(onError)
  const webhooks = new Webhooks({ engine, clock, warn })
  if (options.webhooks ?? true) webhooks.start()

  const handle = (request: Request, response: ServerResponse) => {
    users?.register(request)
    removePrefix(prefix, request)
    mounting.then(
      (app) => app(request, response),
      () => response.writeHead(500).end(),
    )
  }
  const close = async () => {
    frames.close()
    openResponses.destroyAll()
    await webhooks.stop()
  }
  return Object.assign(handle, { close })
}

/** A URL without the prefix stays as it is: the framework has removed it already. */
function removePrefix(prefix: string, request: IncomingMessage): void {
  const { url = '/' } = request
  if (prefix === '' || !url.startsWith(prefix)) return
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) request.url = `/${rest}`
  else if (rest.startsWith('/')) request.url = rest
}

/** The dashboard needs the events of an engine in this process. A remote queue has its dashboard on its server. */
function requireEngine(queue: Queue): Engine {
  if (isEngine(queue)) return queue
  const { url = 'its server' } = queue.address ?? {}
  throw new QueueError(
    'UNSUPPORTED',
    `createDashboard needs a queue that this process opened on a file or on PostgreSQL; open the dashboard of ${url} there.`,
  )
}

function isEngine(queue: Queue): queue is Engine {
  return 'events' in queue && 'keyring' in queue && 'sessions' in queue
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
