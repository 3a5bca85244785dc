/** Addresses as they stand on a socket or in a Host header. */
import { type BlockList, isIP } from 'node:net'

/** A peer on IPv4 looks like ::ffff:10.0.0.7 on a socket that serves both families. */
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
  /** null: not written, so that of the scheme. */
  readonly port: number | null
}

/** Of a Host header or an entry of ALLOWED_HOSTS; null when it is not one. */
export function hostAndPort(host: string): HostAndPort | null {
  if (isIP(host) === 6) return { name: host.toLowerCase(), port: null }
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s]+))(?::(\d{1,5}))?$/i.exec(host)
  const name = (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '')
  if (name === undefined) return null
  return { name, port: match?.[3] === undefined ? null : Number(match[3]) }
}
