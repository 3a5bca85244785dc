/** CORS headers for the origins in CORS_ORIGINS; their pages send tokens, cookies are never accepted. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const HEADERS = 'authorization, content-type, last-event-id, traceparent, trpc-accept, x-request-id'
const EXPOSED = 'location, retry-after, x-request-id'
const PREFLIGHT_SECONDS = 600

export function setCorsHeaders(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): void {
  if (origins.length === 0) return
  response.setHeader('vary', 'origin')
  const { origin } = request.headers
  if (origin === undefined || !origins.includes(origin)) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', EXPOSED)
}

/** True for a preflight request from an allowed origin. */
export function isPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'OPTIONS' || !response.hasHeader('access-control-allow-origin')) return false
  return request.headers['access-control-request-method'] !== undefined
}

export function sendPreflight(response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', METHODS)
  response.setHeader('access-control-allow-headers', HEADERS)
  response.setHeader('access-control-max-age', PREFLIGHT_SECONDS)
  response.statusCode = 204
  response.end()
}
