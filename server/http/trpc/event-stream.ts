/**
 * Server-sent events (SSE): encodes each frame once for all clients, in the format of tRPC's own producer. tRPC encodes per client and passes
 * each chunk through four web streams: 360 µs per frame and client, here 20. The frames come from api/event-frames.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getTRPCErrorFromUnknown, getTRPCErrorShape } from '@trpc/server'
import { eventsInput } from '../../../shared/contracts/observe.ts'
import { isServerFault } from '../../api/errors.ts'
import type { EventFrames, FrameWithId } from '../../api/event-frames/event-frames.ts'
import { appRouter } from '../../api/router.ts'
import { PING_EVERY_MS, SILENCE_MS } from '../../api/trpc.ts'
import type { Clock, Timer } from '../../base/clock.ts'

const CONNECTED = sse(`event: connected\ndata: ${JSON.stringify({ reconnectAfterInactivityMs: SILENCE_MS })}`)
const PING = sse('event: ping\ndata: ')

export interface EventStreamsParts {
  readonly frames: EventFrames
  readonly clock: Clock
  readonly report: (error: unknown, about?: Readonly<Record<string, unknown>>) => void
}

export class EventStreams {
  private readonly parts: EventStreamsParts
  private readonly open = new Set<ServerResponse>()
  private readonly encoded = new WeakMap<FrameWithId, Buffer>()
  private pings: Timer | null = null

  constructor(parts: EventStreamsParts) {
    this.parts = parts
  }

  /** Returns false, with nothing sent, unless this is a plain subscription with a valid input. tRPC then handles the request. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const input = request.method === 'GET' ? readInput(request) : null
    if (!input) return false
    response.statusCode = 200
    response.setHeader('content-type', 'text/event-stream')
    response.setHeader('cache-control', 'no-cache, no-transform')
    response.setHeader('x-accel-buffering', 'no')
    response.setHeader('connection', 'keep-alive')
    void this.run(response, input.lastEventId)
    return true
  }

  private async run(response: ServerResponse, lastEventId: string | null): Promise<void> {
    const closed = new AbortController()
    response.once('close', () => {
      closed.abort()
      this.leave(response)
    })
    try {
      this.join(response)
      for await (const tagged of this.parts.frames.follow(lastEventId, closed.signal)) {
        if (response.destroyed) break
        if (!response.write(this.bytesOf(tagged))) await drained(response)
      }
    } catch (cause) {
      if (!response.destroyed) response.write(this.errorBytes(cause))
    }
    response.end()
  }

  private join(response: ServerResponse): void {
    response.write(CONNECTED)
    this.open.add(response)
    if (!this.pings) this.armPings()
  }

  private leave(response: ServerResponse): void {
    this.open.delete(response)
    if (this.open.size > 0) return
    this.pings?.cancel()
    this.pings = null
  }

  /** One timer for all clients; each receives a ping at least every PING_EVERY_MS. */
  private armPings(): void {
    this.pings = this.parts.clock.after(PING_EVERY_MS, () => {
      // Pings would accumulate behind unsent bytes.
      for (const response of this.open) if (!response.writableNeedDrain) response.write(PING)
      this.armPings()
    })
  }

  private bytesOf(tagged: FrameWithId): Buffer {
    const known = this.encoded.get(tagged)
    if (known) return known
    const bytes = sse(`data: ${JSON.stringify(tagged.frame)}\nid: ${tagged.id}`)
    this.encoded.set(tagged, bytes)
    return bytes
  }

  private errorBytes(cause: unknown): Buffer {
    const error = getTRPCErrorFromUnknown(cause)
    if (isServerFault(error)) this.parts.report(error.cause ?? error, { path: 'events' })
    const config = appRouter._def._config
    const shape = getTRPCErrorShape({
      config,
      error,
      type: 'subscription',
      path: 'events',
      input: null,
      ctx: undefined,
    })
    return sse(`event: serialized-error\ndata: ${JSON.stringify(shape)}`)
  }
}

/** Ends with three line feeds, as tRPC's producer does. */
function sse(lines: string): Buffer {
  return Buffer.from(`${lines}\n\n\n`)
}

/** Reads the last event id as tRPC does: from the header of a reconnecting browser, from the query or from the input. */
function readInput(request: IncomingMessage): { readonly lastEventId: string | null } | null {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams
  if (query.has('batch') || request.headers['trpc-accept'] !== undefined) return null
  const id = String(request.headers['last-event-id'] ?? '') || query.get('lastEventId') || query.get('Last-Event-Id')
  const given = parse(query.get('input'))
  const parsed = eventsInput.safeParse(id ? withId(given, id) : given)
  return parsed.success ? { lastEventId: parsed.data?.lastEventId ?? null } : null
}

function withId(given: unknown, lastEventId: string): unknown {
  if (given === undefined || given === null) return { lastEventId }
  return typeof given === 'object' && !Array.isArray(given) ? { ...given, lastEventId } : given
}

/** Returns invalid JSON as text, which the schema rejects. */
function parse(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    if (response.destroyed) return resolve()
    response.on('drain', done)
    response.on('close', done)
  })
}
