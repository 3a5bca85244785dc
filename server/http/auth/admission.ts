/** Admission checks by network address and Host header, before authentication. */
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import { QueueError } from '../../../shared/errors.ts'
import { type Access, requiresToken } from './access.ts'
import { contains, hostAndPort, isLoopback, plainAddress } from './address.ts'
import { isAllowedHost } from './origin-check.ts'
import { type Client, clientOf } from './proxy.ts'

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1']
/** Node's limit for a server that does not set maxHeadersCount. */
const NODE_MAX_HEADERS = 1_000

/** Throws FORBIDDEN unless the connection may be served. Without a token that depends on the client's address. */
export function admit(request: IncomingMessage, access: Access): void {
  requireAllHeaders(request)
  const client = clientOf(request, access.trustedProxies)
  const isOpen = !requiresToken(access)
  if (isOpen) requireKnownPeer(request, client, access.allowIps)
  if (isOpen || access.allowedHosts.length > 0) requireHost(request, client, access.allowedHosts)
}

/**
 * Rejects requests whose headers Node may have truncated. Our own server keeps every header. The server of a host application keeps
 * the first `maxHeadersCount` and drops the rest without an error, so a request that reaches that number may be missing
 * X-Forwarded-For.
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

/** 0 means no limit. Node keeps a connection's server on the socket; its types do not mention that. */
function maxHeaders({ socket }: IncomingMessage): number {
  const server = 'server' in socket ? socket.server : null
  const isServer = typeof server === 'object' && server !== null && 'maxHeadersCount' in server
  return isServer && typeof server.maxHeadersCount === 'number' ? server.maxHeadersCount : NODE_MAX_HEADERS
}

/** A proxy on this machine would make every client a local peer, so forwarded requests do not count as local. */
function requireKnownPeer(request: IncomingMessage, client: Client, allowIps: BlockList | null): void {
  const { address, isDirect, untrustedHeader } = client
  if (untrustedHeader !== null) {
    const advice = 'set AUTH_TOKEN to serve them, or name the proxy in TRUSTED_PROXIES'
    throw new QueueError('FORBIDDEN', `Requests with ${untrustedHeader} come through a proxy: ${advice}.`)
  }
  // A client with the server's own address is on this machine.
  const isSelf = address !== '' && address === plainAddress(request.socket.localAddress)
  if (isDirect && (isLoopback(address) || isSelf)) return
  if (allowIps && contains(allowIps, address)) return
  throw new QueueError('FORBIDDEN', `${address} is not served without a token; set AUTH_TOKEN, or add it to ALLOW_IPS.`)
}

/** Prevents DNS rebinding: a web page can point its own domain at this address, but cannot change the Host header. */
function requireHost(request: IncomingMessage, { host }: Client, allowedHosts: readonly string[]): void {
  const given = hostAndPort(host ?? '')
  const own = plainAddress(request.socket.localAddress)
  if (given !== null) {
    if (LOCAL_NAMES.includes(given.name) || given.name === own || isAllowedHost(given, allowedHosts)) return
  }
  const name = given === null ? 'This Host header' : `The host name ${given.name}`
  throw new QueueError('FORBIDDEN', `${name} is not allowed; add it to ALLOWED_HOSTS.`)
}
