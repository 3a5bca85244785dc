/** Client address, host and scheme of a request, including those forwarded by TRUSTED_PROXIES. */
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { contains, hostAndPort, plainAddress } from './address.ts'

export interface Client {
  readonly address: string
  /** Not forwarded by a trusted proxy: the address is the socket's peer. */
  readonly isDirect: boolean
  /** A forwarding header from an untrusted peer, or from a trusted proxy that sent no X-Forwarded-For. */
  readonly untrustedHeader: string | null
  /** The host name that the client used, with the port if it is known. */
  readonly host: string | undefined
  readonly isSecure: boolean
}

const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/

export function clientOf(request: IncomingMessage, trusted: BlockList | null): Client {
  const { headers, socket } = request
  const peer = plainAddress(socket.remoteAddress)
  const untrustedHeader = Object.keys(headers).find((name) => FORWARDED.test(name)) ?? null
  const isSecure = 'encrypted' in socket && socket.encrypted === true
  const direct = { address: peer, isDirect: true, untrustedHeader, host: headers.host, isSecure }
  if (untrustedHeader === null || !trusted || !contains(trusted, peer)) return direct
  const chain = listed(headers['x-forwarded-for']).map(addressIn)
  const [nearest] = chain.slice(-1)
  if (nearest === undefined) return direct
  const proto = listed(headers['x-forwarded-proto']).at(-1)?.toLowerCase()
  return {
    // Each proxy appends its peer, so the client is the rightmost address that is not a trusted proxy. Addresses left of it are unverified.
    address: chain.findLast((address) => !contains(trusted, address)) ?? chain[0] ?? nearest,
    isDirect: false,
    untrustedHeader: null,
    host: withPort(
      listed(headers['x-forwarded-host']).at(-1) ?? headers.host,
      listed(headers['x-forwarded-port']).at(-1),
    ),
    isSecure: proto === undefined ? isSecure : proto === 'https',
  }
}

function listed(value: string | readonly string[] | undefined): string[] {
  const text = typeof value === 'string' ? value : (value ?? []).join(',')
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/**
 * Adds X-Forwarded-Port to a host without a port. Default ports are ignored: they add nothing, and a proxy behind a load balancer that
 * terminates TLS sends 80.
 */
function withPort(host: string | undefined, port: string | undefined): string | undefined {
  if (host === undefined || port === undefined || !/^\d{1,5}$/.test(port)) return host
  if (port === '80' || port === '443') return host
  return hostAndPort(host)?.port === null ? `${host}:${port}` : host
}

/** Some proxies append the port. Text that is not an address is kept as it is and matches no list. */
function addressIn(text: string): string {
  const address = plainAddress(text)
  if (isIP(address) !== 0) return address
  return plainAddress(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text)?.slice(1).find(Boolean) ?? text)
}
