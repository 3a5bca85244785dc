/**
 * Who may come in: plain functions of the incoming request, each of which throws a refusal or lets it pass. They know nothing
 * of Express, so that every door of the server can call the same ones.
 */
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import { QueueError } from '../../../shared/errors.ts'
import { type Caller, fullAccess } from '../../api/caller.ts'
import type { Keyring } from '../../engine/auth/keyring.ts'
import { contains, hostAndPort, isLoopback, plainAddress } from './address.ts'
import { requireAllHeaders } from './header-count.ts'
import { isAllowedHost, isAllowedOrigin, isOwnOrigin } from './own-origin.ts'
import { type Client, clientOf } from './proxy.ts'
import type { Throttle } from './throttle.ts'
import { checkToken } from './token-check.ts'

/** The settings of the door, and who has a key to it. */
export interface Access {
  readonly authToken: string | null
  readonly allowIps: BlockList | null
  readonly allowedHosts: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: BlockList | null
  /** Callers whom their address lets in may enqueue commands too. */
  readonly commandsWithoutToken: boolean
  /** Tokens of the database, as of at most a second ago. */
  readonly keys: Pick<Keyring, 'isLocked' | 'find' | 'findById' | 'used'>
  readonly throttle: Throttle
  /** In an application that knows its people: who this is, or a refusal. Then no token is asked for. */
  readonly identifyVisitor?: (request: IncomingMessage) => Promise<Caller>
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1']

export function asksForToken(access: Pick<Access, 'authToken' | 'keys' | 'identifyVisitor'>): boolean {
  return access.identifyVisitor === undefined && (access.authToken !== null || access.keys.isLocked)
}

/** May this connection be answered at all? Without a token, that depends on where it comes from. */
export function admit(request: IncomingMessage, access: Access): void {
  requireAllHeaders(request)
  const client = clientOf(request, access.trustedProxies)
  const isOpen = !asksForToken(access)
  if (isOpen) requireKnownPeer(request, client, access.allowIps)
  if (isOpen || access.allowedHosts.length > 0) requireHost(request, client, access.allowedHosts)
}

/** Who is it, and what may they do? */
export function identify(request: IncomingMessage, access: Access): Caller {
  if (!asksForToken(access)) return withoutToken('local', access)
  const given = bearerOf(request)
  if (given === undefined) {
    throw new QueueError('UNAUTHORIZED', 'This server asks for a token; send the header Authorization: Bearer <token>.')
  }
  const checked = checkToken(given, access)
  if (checked.ok) return checked.caller
  access.throttle.failed(clientOf(request, access.trustedProxies).address)
  throw checked.error
}

/** /api/queue alone: the addresses in ALLOW_IPS need no token there, whatever the rest of the server asks for. */
export function identifyForJsonQueue(request: IncomingMessage, access: Access): Caller {
  const { address, doubt } = clientOf(request, access.trustedProxies)
  const isAllowed = access.allowIps !== null && doubt === null && contains(access.allowIps, address)
  if (isAllowed && asksForToken(access) && request.headers.authorization === undefined)
    return withoutToken(`ip:${address}`, access)
  return identify(request, access)
}

function withoutToken(actor: string, { commandsWithoutToken }: Access): Caller {
  return fullAccess(actor, { mayRunCommands: commandsWithoutToken })
}

function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** A proxy on this machine would make everyone a local peer, so what it forwards does not count as local. */
function requireKnownPeer(request: IncomingMessage, client: Client, allowIps: BlockList | null): void {
  const { address, isDirect, doubt } = client
  if (doubt !== null) {
    const advice = 'set AUTH_TOKEN to serve them, or name the proxy in TRUSTED_PROXIES'
    throw new QueueError('FORBIDDEN', `Requests with ${doubt} come through a proxy: ${advice}.`)
  }
  // Who calls from the very address that was called is on this machine.
  const isSelf = address !== '' && address === plainAddress(request.socket.localAddress)
  if (isDirect && (isLoopback(address) || isSelf)) return
  if (allowIps && contains(allowIps, address)) return
  throw new QueueError('FORBIDDEN', `${address} is not served without a token; set AUTH_TOKEN, or add it to ALLOW_IPS.`)
}

/** A web page can point a name of its own at this address (DNS rebinding); it cannot change the name it asks for. */
function requireHost(request: IncomingMessage, { host }: Client, allowedHosts: readonly string[]): void {
  const given = hostAndPort(host ?? '')
  const own = plainAddress(request.socket.localAddress)
  if (given !== null) {
    if (LOCAL_NAMES.includes(given.name) || given.name === own || isAllowedHost(given, allowedHosts)) return
  }
  const name = given?.name ?? 'that name'
  throw new QueueError('FORBIDDEN', `This server does not answer to ${name}; add it to ALLOWED_HOSTS.`)
}

/** Browsers say where a request comes from: other people's pages have no business here, whatever they send. */
export function requireOwnOrigin(request: IncomingMessage, access: Access): void {
  const { origin } = request.headers
  if (origin === undefined || !access.corsOrigins.includes(origin)) requireOwnPage(request, access)
}

/** The same, without CORS_ORIGINS: for whatever a cookie can do. */
export function requireOwnPage(request: IncomingMessage, access: Access): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && !isOwn(origin, request, access)) throw foreignPage(origin)
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new QueueError('FORBIDDEN', 'Pages from other sites may not call this server.')
  }
}

/**
 * For GETs that take something: an image on any page could send one, and older browsers name the page only as Referer. ALLOWED_HOSTS
 * does not count here: it names no port, and an application on another port of the same name could claim jobs.
 */
export function requireNoOtherPage(request: IncomingMessage, access: Access): void {
  const { origin, referer } = request.headers
  requireOwnOrigin(request, access)
  const client = clientOf(request, access.trustedProxies)
  for (const page of [origin, referer === undefined ? undefined : originOf(referer)]) {
    if (page === undefined || access.corsOrigins.includes(page) || isOwnOrigin(page, client)) continue
    throw foreignPage(page)
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'null'
}

/** A proxy may have changed the Host header; then ALLOWED_HOSTS knows the name people use. */
function isOwn(origin: string, request: IncomingMessage, { allowedHosts, trustedProxies }: Access): boolean {
  return isOwnOrigin(origin, clientOf(request, trustedProxies)) || isAllowedOrigin(origin, allowedHosts)
}

function foreignPage(origin: string): QueueError {
  const advice = 'CORS_ORIGINS names those that may, ALLOWED_HOSTS the address of its own page behind a proxy'
  return new QueueError('FORBIDDEN', `Pages from ${origin} may not call this server; ${advice}.`)
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
