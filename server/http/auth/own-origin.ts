/** Whether a page is this server's own, and whether a name is one it answers to: scheme, name and port together. */
import { type HostAndPort, hostAndPort } from './address.ts'
import type { Client } from './proxy.ts'

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * The page came from the very address that this request was sent to. A server that is reached by HTTPS has no pages on plain HTTP;
 * one that sees plain HTTP may stand behind a proxy that speaks HTTPS for it, so there both schemes count.
 */
export function isOwnOrigin(origin: string, { host, isSecure }: Client): boolean {
  const url = pageUrl(origin)
  if (url === null || host === undefined || (isSecure && url.protocol !== 'https:')) return false
  const own = `${url.protocol}//${host}`
  // Parsed the same way: the port of the scheme is left out of both.
  return URL.canParse(own) && new URL(own).host === url.host
}

/**
 * The page has a name of ALLOWED_HOSTS: a proxy may have changed the Host header. An entry without a port means the port of the page's
 * scheme, because any other port of that name may belong to another application.
 */
export function isAllowedOrigin(origin: string, allowedHosts: readonly string[]): boolean {
  const url = pageUrl(origin)
  if (url === null) return false
  const standard = DEFAULT_PORTS[url.protocol]
  const port = url.port === '' ? standard : Number(url.port)
  const name = hostAndPort(url.hostname)?.name
  return entries(allowedHosts).some((entry) => entry.name === name && (entry.port ?? standard) === port)
}

/** An entry without a port allows every port. A Host header without one is on the port of a scheme, which a proxy may have changed. */
export function isAllowedHost({ name, port }: HostAndPort, allowedHosts: readonly string[]): boolean {
  const ports: readonly (number | null)[] = port === null ? [null, ...Object.values(DEFAULT_PORTS)] : [null, port]
  return entries(allowedHosts).some((entry) => entry.name === name && ports.includes(entry.port))
}

function entries(allowedHosts: readonly string[]): HostAndPort[] {
  return allowedHosts.flatMap((text) => hostAndPort(text) ?? [])
}

function pageUrl(origin: string): URL | null {
  const url = URL.canParse(origin) ? new URL(origin) : null
  return url !== null && url.protocol in DEFAULT_PORTS ? url : null
}
