/** HTTP listener with graceful shutdown: open requests get ten seconds, event streams are closed at once. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../base/clock.ts'

/** Longer than the idle timeout of usual proxies, so that the proxy closes idle connections, not this server. */
const KEEP_ALIVE_MS = 75_000
const GRACE_MS = 10_000
/** The URL of a batch of queries contains all inputs. Node's default is a quarter of this. */
const MAX_HEADER_BYTES = 65_536

export interface Listening {
  readonly address: AddressInfo
  /** Stops accepting at once, then waits for open responses, at most GRACE_MS. Idempotent. */
  close(): Promise<void>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** In PEM format; null: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | null
  readonly clock: Clock
  /** Errors of the listening socket after the start. */
  readonly onError: (error: unknown) => void
}

export async function listen(
  handler: RequestListener,
  { host, port, tls = null, clock, onError }: ListenOptions,
): Promise<Listening> {
  const openResponses = new Set<ServerResponse>()
  let closing: Promise<void> | null = null
  const handle: RequestListener = (request, response) => {
    openResponses.add(response)
    if (closing) response.setHeader('connection', 'close')
    response.once('close', () => {
      openResponses.delete(response)
      closeWhenIdle()
    })
    handler(request, response)
  }
  const options = { maxHeaderSize: MAX_HEADER_BYTES }
  const server: Server = tls ? createSecureServer({ ...options, ...tls }, handle) : createServer(options, handle)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // By default Node silently drops headers after the first 1,000, including those a proxy appends. MAX_HEADER_BYTES is the limit instead.
  server.maxHeadersCount = 0

  /** Idle connections would delay the shutdown, so all are closed when the last response has ended. */
  function closeWhenIdle(): void {
    if (closing && openResponses.size === 0) server.closeAllConnections()
  }

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const response of openResponses) {
      // An event stream never ends by itself; its client reconnects.
      if (isEventStream(response)) response.destroy()
      else if (!response.headersSent) response.setHeader('connection', 'close')
    }
    const timer = clock.after(GRACE_MS, () => server.closeAllConnections(), true)
    await closed
    timer.cancel()
  }

  await start(server, host, port)
  server.on('error', onError)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    address,
    close() {
      closing ??= close()
      closeWhenIdle()
      return closing
    },
  }
}

function start(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream')
}
