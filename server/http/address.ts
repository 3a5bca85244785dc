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

/** The name in a Host header or an origin, without port and brackets; null when it is not one. */
export function hostName(host: string | undefined): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s]+))(?::\d{1,5})?$/i.exec(host ?? '')
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '') ?? null
}
