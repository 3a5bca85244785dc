/** Refuses requests of which Node has dropped headers: what decides about access may have been among them. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'

/** Of a server that does not set maxHeadersCount. */
const NODE_MAX_HEADERS = 1_000

/**
 * Our own server keeps every header. The server of an application that mounts the dashboard keeps the first `maxHeadersCount` and
 * drops the rest without an error, so a request that reaches that number may be missing X-Forwarded-For.
 */
export function requireAllHeaders(request: IncomingMessage): void {
  const max = maxHeaders(request)
  // Names and values alternate.
  const count = request.rawHeaders.length / 2
  if (max === 0 || count < max) return
  throw new QueueError(
    'FORBIDDEN',
    `The request has ${max} headers or more, and this server drops what exceeds that number; send fewer headers.`,
  )
}

/** 0: no limit. Node keeps the server of a connection on its socket, which its types do not mention. */
function maxHeaders({ socket }: IncomingMessage): number {
  const server = 'server' in socket ? socket.server : null
  const isServer = typeof server === 'object' && server !== null && 'maxHeadersCount' in server
  return isServer && typeof server.maxHeadersCount === 'number' ? server.maxHeadersCount : NODE_MAX_HEADERS
}
