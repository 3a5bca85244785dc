/** Origin checks: rejects browser requests from pages of other origins. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import type { Access } from './access.ts'
import { type HostAndPort, hostAndPort } from './address.ts'
import { type Client, clientOf } from './proxy.ts'

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Allows this server's own pages and those of CORS_ORIGINS. Requests without an Origin header do not come from a page. */
export function requireOwnOrigin(request: IncomingMessage, access: Access): void {
  const { origin } = request.headers
  if (origin === undefined || !access.corsOrigins.includes(origin)) requireOwnPage(request, access)
}

/** As `requireOwnOrigin`, without CORS_ORIGINS: for everything a session cookie authorises. */
export function requireOwnPage(request: IncomingMessage, access: Access): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && !isOwnPage(origin, request, access)) throw foreignOrigin(origin)
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new QueueError('FORBIDDEN', 'Pages from other sites may not call this server.')
  }
}

/**
 * For GET requests with side effects, such as a claim: an image on any page could send one, and older browsers send only a Referer.
 * ALLOWED_HOSTS does not count here, because its entries may omit the port: an application on another port of the same host name could
 * claim jobs.
 */
export function requireNoOtherPage(request: IncomingMessage, access: Access): void {
  const { origin, referer } = request.headers
  requireOwnOrigin(request, access)
  const client = clientOf(request, access.trustedProxies)
  for (const page of [origin, referer === undefined ? undefined : originOf(referer)]) {
    if (page === undefined || access.corsOrigins.includes(page) || isOwnOrigin(page, client)) continue
    throw foreignOrigin(page)
  }
}

/**
 * True when the page was loaded from the address that this request was sent to. A server reached by HTTPS has no pages on plain HTTP.
 * A server that receives plain HTTP may be behind a proxy that terminates TLS, so both schemes count there.
 */
function isOwnOrigin(origin: string, { host, isSecure }: Client): boolean {
  const url = pageUrl(origin)
  if (url === null || host === undefined || (isSecure && url.protocol !== 'https:')) return false
  const own = `${url.protocol}//${host}`
  // URL parsing drops the default port from both.
  return URL.canParse(own) && new URL(own).host === url.host
}

/**
 * True when the page's host is in ALLOWED_HOSTS, since a proxy may have changed the Host header. An entry without a port means the
 * default port of the page's scheme: any other port of that host may belong to another application.
 */
function isAllowedOrigin(origin: string, allowedHosts: readonly string[]): boolean {
  const url = pageUrl(origin)
  if (url === null) return false
  const standard = DEFAULT_PORTS[url.protocol]
  const port = url.port === '' ? standard : Number(url.port)
  const name = hostAndPort(url.hostname)?.name
  return parseHosts(allowedHosts).some((entry) => entry.name === name && (entry.port ?? standard) === port)
}

/** An entry without a port allows every port. A Host header without a port means a default port, which a proxy may have changed. */
export function isAllowedHost({ name, port }: HostAndPort, allowedHosts: readonly string[]): boolean {
  const ports: readonly (number | null)[] = port === null ? [null, ...Object.values(DEFAULT_PORTS)] : [null, port]
  return parseHosts(allowedHosts).some((entry) => entry.name === name && ports.includes(entry.port))
}

function isOwnPage(origin: string, request: IncomingMessage, { allowedHosts, trustedProxies }: Access): boolean {
  return isOwnOrigin(origin, clientOf(request, trustedProxies)) || isAllowedOrigin(origin, allowedHosts)
}

function parseHosts(allowedHosts: readonly string[]): HostAndPort[] {
  return allowedHosts.flatMap((text) => hostAndPort(text) ?? [])
}

function pageUrl(origin: string): URL | null {
  const url = URL.canParse(origin) ? new URL(origin) : null
  return url !== null && url.protocol in DEFAULT_PORTS ? url : null
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'null'
}

function foreignOrigin(origin: string): QueueError {
  const advice = 'add the origin to CORS_ORIGINS, or to ALLOWED_HOSTS if it is this server behind a proxy'
  return new QueueError('FORBIDDEN', `Pages from ${origin} may not call this server; ${advice}.`)
}
