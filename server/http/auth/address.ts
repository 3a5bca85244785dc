/** Parses addresses of sockets and Host headers. */
import { type BlockList, isIP } from 'node:net'

/** An IPv4 peer on a dual-stack socket has the form ::ffff:10.0.0.7. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\./.test(address)
}

export function contains(allowed: BlockList, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && allowed.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

export interface HostAndPort {
  /** Without brackets. */
  readonly name: string
  /** null: not given, so the default port of the scheme. */
  readonly port: number | null
}

/** Parses a Host header or an entry of ALLOWED_HOSTS; null when it is invalid. */
export function hostAndPort(host: string): HostAndPort | null {
  // The expression of an IPv6 address takes longer than all that follows.
  if (host.indexOf(':') !== host.lastIndexOf(':') && isIP(host) === 6) return { name: host.toLowerCase(), port: null }
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s]+))(?::(\d{1,5}))?$/i.exec(host)
  const name = (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '')
  if (name === undefined) return null
  return { name, port: match?.[3] === undefined ? null : Number(match[3]) }
}
