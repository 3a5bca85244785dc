/** Mounts the dashboard of a queue in an application of your own: Express, Fastify, Hono, plain Node. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { refuseUnknownKeys } from '../../../shared/unknown-keys.ts'
import { EventFrames } from '../../api/event-frames/event-frames.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import { readBasePath, readBlockList } from '../../base/config/server-config.ts'
import { loadPart, NEEDS, requireInstalled } from '../../base/packages.ts'
import type { Engine } from '../../engine/engine.ts'
import { Webhooks } from '../../ops/webhooks/webhooks.ts'
import type { Queue } from '../../queue/queue.ts'
import { Throttle } from '../auth/throttle.ts'
import { type Authorize, Visitors } from '../auth/visitors.ts'
import { OpenAnswers } from '../requests/open-responses.ts'
import { pageFolder } from './page-folder.ts'

/** How to mount the dashboard. */
export interface DashboardOptions<Request extends IncomingMessage = IncomingMessage> {
  /**
   * Decides for every request whether it is allowed. Without it the dashboard serves loopback addresses only until the queue has
   * a token, and then everyone who signs in with one.
   */
  readonly authorize?: Authorize<Request>
  /**
   * What to leave off the front of the address where no framework does, `/queue`: for Fastify, Hono and plain Node. Default: nothing,
   * since Express does it.
   */
  readonly prefix?: string
  /** The path as browsers see it, where a proxy takes a part of it away; default: `prefix`, or where Express has mounted it. */
  readonly basePath?: string
  /** Names that people use for it, where a proxy changes the Host header; with the port where it is not that of the scheme. */
  readonly allowedHosts?: readonly string[]
  /** Addresses of proxies whose word counts about whom they speak for. */
  readonly trustedProxies?: readonly string[]
  /**
   * Without `authorize` and tokens: callers of this machine may enqueue jobs of kind `command`, which run as the user of their worker, and
   * make tokens. Default false.
   */
  readonly commandsWithoutToken?: boolean
  /** The largest request it reads; default 8 MiB. A body parser in front of it applies its own limit first. */
  readonly maxBodyBytes?: number
  /** Faults of ours; default: a warning of the process. */
  readonly onError?: (error: unknown) => void
  /** Delivers the queue's webhooks too, as a server does; default true. */
  readonly webhooks?: boolean
  /** Where time comes from; default: the system clock. */
  readonly clock?: Clock
}

const OPTIONS = [
  ...['authorize', 'prefix', 'basePath', 'allowedHosts', 'trustedProxies', 'commandsWithoutToken', 'maxBodyBytes'],
  ...['onError', 'webhooks', 'clock'],
]

/** The mounted dashboard: middleware with a `close`. */
export interface Dashboard<Request extends IncomingMessage = IncomingMessage> {
  /** Middleware that answers everything below its path. */
  (request: Request, response: ServerResponse): void
  /** Ends open event streams and exports, so that the application can end. Before the queue's own `close`. */
  close(): Promise<void>
}

/** `app.use('/queue', createDashboard(queue))`: the page, and the API it talks to at `/queue/trpc`. */
export function createDashboard<Request extends IncomingMessage = IncomingMessage>(
  queue: Queue,
  options: DashboardOptions<Request> = {},
): Dashboard<Request> {
  refuseUnknownKeys(options, OPTIONS, 'A dashboard')
  requireEngine(queue)
  requireInstalled(NEEDS.dashboard)
  const folder = pageFolder()
  if (folder === null) throw new Error('The page is not built here; run the compiled package.')
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
  const visitors = authorize && new Visitors(authorize, clock)
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
    ...(visitors && { identifyVisitor: visitors.identify }),
  }
  const answers = new OpenAnswers(clock)
  const path = basePath === undefined ? null : readBasePath(basePath)
  const parts = { engine, frames, clock, answers, access, pageFolder, basePath: path, onError }
  const mounting = loadPart(NEEDS.dashboard, async () => {
    const { mountedDashboard, inherit } = await import('./mounted-dashboard.ts')
    const app = mountedDashboard(parts)
    return (request: IncomingMessage, response: ServerResponse) => {
      inherit(app, request)
      app(request, response)
    }
  })
  mounting.catch(onError)
  const webhooks = new Webhooks({ engine, clock, warn })
  if (options.webhooks ?? true) webhooks.start()

  const answer = (request: Request, response: ServerResponse) => {
    visitors?.arrive(request)
    leaveOff(prefix, request)
    mounting.then(
      (app) => app(request, response),
      () => response.writeHead(500).end(),
    )
  }
  const close = async () => {
    frames.close()
    answers.cut()
    await webhooks.stop()
  }
  return Object.assign(answer, { close })
}

/** An address that does not begin with it stays as it is: a framework has left it off already. */
function leaveOff(prefix: string, request: IncomingMessage): void {
  const { url = '/' } = request
  if (prefix === '' || !url.startsWith(prefix)) return
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) request.url = `/${rest}`
  else if (rest.startsWith('/')) request.url = rest
}

/** Only a queue in this process tells what happens in it; one behind a server has its dashboard there. */
function requireEngine(queue: Queue): Engine {
  if (isEngine(queue)) return queue
  const { url = 'its server' } = queue.address ?? {}
  throw new QueueError(
    'UNSUPPORTED',
    `The queue behind ${url} has its dashboard there; createDashboard shows one that this process opened, on a file or on PostgreSQL.`,
  )
}

function isEngine(queue: Queue): queue is Engine {
  return 'events' in queue && 'keyring' in queue && 'sessions' in queue
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
