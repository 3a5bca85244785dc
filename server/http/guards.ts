/**
 * Who may come in: plain functions of the incoming request, each of which throws a refusal or lets it pass. They know nothing
 * of Express, so that every door of the server can call the same ones.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import { QueueError } from '../../shared/errors.ts'
import { type Caller, fullAccess } from '../api/caller.ts'
import { contains, hostName, isLoopback, plainAddress } from './address.ts'

export interface Access {
  readonly authToken: string | null
  readonly allowIps: BlockList | null
  readonly allowedHosts: readonly string[]
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1']
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/

/** May this connection be answered at all? Without a token, that depends on where it comes from. */
export function admit(request: IncomingMessage, access: Access): void {
  if (access.authToken === null) requireKnownPeer(request, access.allowIps)
  if (access.authToken === null || access.allowedHosts.length > 0) requireHost(request, access.allowedHosts)
}

/** Who is it, and what may they do? */
export function identify(request: IncomingMessage, { authToken }: Access): Caller {
  if (authToken === null) return fullAccess('local')
  requireToken(request, authToken)
  return fullAccess('token')
}

/** Compared as digests: equal length, and no hint of how much of a guess was right. */
function requireToken(request: IncomingMessage, token: string): void {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (given === undefined) {
    throw new QueueError('UNAUTHORIZED', 'This server asks for a token; send the header Authorization: Bearer <token>.')
  }
  if (!timingSafeEqual(digest(given), digest(token))) {
    throw new QueueError('UNAUTHORIZED', 'This token is not valid here; check AUTH_TOKEN of the server.')
  }
}

/** A proxy on this machine would make everyone a local peer, so what it forwards does not count as local. */
function requireKnownPeer(request: IncomingMessage, allowIps: BlockList | null): void {
  const header = Object.keys(request.headers).find((name) => FORWARDED.test(name))
  if (header !== undefined) {
    throw new QueueError('FORBIDDEN', `Requests with ${header} come through a proxy: set AUTH_TOKEN to serve them.`)
  }
  const peer = plainAddress(request.socket.remoteAddress)
  // Who calls from the very address that was called is on this machine.
  const isLocal = isLoopback(peer) || (peer !== '' && peer === plainAddress(request.socket.localAddress))
  if (isLocal || (allowIps && contains(allowIps, peer))) return
  throw new QueueError('FORBIDDEN', `${peer} is not served without a token; set AUTH_TOKEN, or add it to ALLOW_IPS.`)
}

/** A web page can point a name of its own at this address (DNS rebinding); it cannot change the name it asks for. */
function requireHost(request: IncomingMessage, allowedHosts: readonly string[]): void {
  const name = hostName(request.headers.host)
  const own = plainAddress(request.socket.localAddress)
  if (name !== null && (LOCAL_NAMES.includes(name) || name === own || allowedHosts.includes(name))) return
  throw new QueueError('FORBIDDEN', `This server does not answer to ${name ?? 'that name'}; add it to ALLOWED_HOSTS.`)
}

/** Browsers say where a request comes from: other people's pages have no business here, whatever they send. */
export function requireOwnOrigin(request: IncomingMessage, { allowedHosts }: Access): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && !isOwn(origin, host, allowedHosts)) {
    throw new QueueError('FORBIDDEN', `Pages from ${origin} may not call this server.`)
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new QueueError('FORBIDDEN', 'Pages from other sites may not call this server.')
  }
}

/** A proxy may have changed the Host header; then ALLOWED_HOSTS knows the name people use. */
function isOwn(origin: string, host: string | undefined, allowedHosts: readonly string[]): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  const own = `${url.protocol}//${host}`
  // Parsed the same way: a port that goes without saying is left out of both.
  return (URL.canParse(own) && new URL(own).host === url.host) || allowedHosts.includes(url.hostname)
}

/** A form or an image can send anything but JSON without asking first. */
export function requireJson(request: IncomingMessage): void {
  if (request.method !== 'POST') return
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    throw new QueueError(
      'NOT_JSON',
      `Send JSON with the header content-type: application/json, not ${type || 'nothing'}.`,
    )
  }
  if (encoding !== 'identity') {
    throw new QueueError('NOT_JSON', `Send the body as it is, not with content-encoding ${encoding}.`)
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
