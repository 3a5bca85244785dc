/** Listening, and the orderly end of it: requests under way have ten seconds, event streams are cut for others to take up. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../base/clock.ts'

/** Longer than what sits before a server usually keeps its idle connections, so that we are not the one to drop them. */
const KEEP_ALIVE_MS = 75_000
const GRACE_MS = 10_000
/** A batch of queries carries its inputs in its address; Node's own limit is a quarter of this. */
const MAX_HEADER_BYTES = 65_536

export interface Listening {
  readonly address: AddressInfo
  /** Stops accepting at once, then waits for answers under way, but not for ever. Twice does no harm. */
  close(): Promise<void>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** PEM; null: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | null
  readonly clock: Clock
  /** Trouble with accepting connections, after the start. */
  readonly onError: (error: unknown) => void
}

export async function listen(
  handler: RequestListener,
  { host, port, tls = null, clock, onError }: ListenOptions,
): Promise<Listening> {
  const underWay = new Set<ServerResponse>()
  let closing: Promise<void> | null = null
  const answer: RequestListener = (request, response) => {
    underWay.add(response)
    if (closing) response.setHeader('connection', 'close')
    response.once('close', () => {
      underWay.delete(response)
      hangUpWhenIdle()
    })
    handler(request, response)
  }
  const options = { maxHeaderSize: MAX_HEADER_BYTES }
  const server: Server = tls ? createSecureServer({ ...options, ...tls }, answer) : createServer(options, answer)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // Node silently drops headers after the first 1,000, and with them what a proxy adds at the end. MAX_HEADER_BYTES is the limit instead.
  server.maxHeadersCount = 0

  /** Connections that say nothing would keep a closing server waiting: when the last answer is out, all of them go. */
  function hangUpWhenIdle(): void {
    if (closing && underWay.size === 0) server.closeAllConnections()
  }

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const response of underWay) {
      // A stream has no end of its own; its reader reconnects when it breaks.
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
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  return {
    address,
    close() {
      closing ??= close()
      hangUpWhenIdle()
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
