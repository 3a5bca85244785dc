/** Runs a REST adapter on Node's request and response, which Express, Fastify and Next.js all provide. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { errorResponse, type RestRequest, type RestResponse } from './adapter.ts'

export interface NodeExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path prefix to remove from the URL. */
  readonly prefix?: string
  /** Reads the JSON body; rejects with a QueueError. */
  readonly readJson: () => Promise<unknown>
  /** Receives internal errors, which the response does not contain. */
  readonly report: (error: unknown) => void
}

/** Always sends a response, and returns it for the log. */
export async function handleNodeRequest(
  exchange: NodeExchange,
  adapter: (request: RestRequest) => Promise<RestResponse>,
): Promise<RestResponse> {
  const { request, response, prefix = '', readJson, report } = exchange
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const restRequest = {
    ...parseUrl(request.url ?? '', prefix),
    method: request.method ?? '',
    body: readJson,
    signal: closed.signal,
  }
  const restResponse = await adapter(restRequest).catch((error: unknown) => toErrorResponse(error, report))
  send(exchange, restResponse)
  return restResponse
}

function toErrorResponse(error: unknown, report: (error: unknown) => void): RestResponse {
  const queueError = error instanceof QueueError ? error : new QueueError('INTERNAL', 'The request failed.')
  const response = errorResponse(queueError)
  if (queueError !== error || response.status === 500) report(error)
  return response
}

function send({ request, response, report }: NodeExchange, restResponse: RestResponse): void {
  const { status, headers = {}, body, onUndelivered } = restResponse
  // Node reports a response as finished and confirms its writes even if the connection broke in the middle.
  let isSent = false
  const releaseUnsent = () => {
    if (!isSent) onUndelivered?.().catch(report)
  }
  if (response.closed) {
    releaseUnsent()
    return
  }
  response.once('close', releaseUnsent)
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  // A response with claimed jobs must not be cached.
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store')
  if (body === undefined) {
    response.end()
    return
  }
  const text = Buffer.from(JSON.stringify(body))
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', text.length)
  response.write(text, (error) => {
    isSent = !error && !request.socket.destroyed
  })
  response.end()
}

/** Path segments after the prefix, and the query. */
function parseUrl(url: string, prefix: string): Pick<RestRequest, 'path' | 'query'> {
  // Requests sent to a proxy contain an absolute URL.
  const [whole, query] = split(url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ''), '?')
  const path = whole.startsWith(prefix) ? whole.slice(prefix.length) : whole
  const parts = path.split('/').filter((part) => part !== '')
  return { path: parts.map(decode), query: new URLSearchParams(query) }
}

function split(text: string, at: string): [string, string] {
  const place = text.indexOf(at)
  return place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place + 1)]
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
