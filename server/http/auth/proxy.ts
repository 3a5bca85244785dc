/** Who is behind a proxy: what TRUSTED_PROXIES say of a request counts, what others say does not. */
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { contains, hostAndPort, plainAddress } from './address.ts'

export interface Client {
  readonly address: string
  /** Nobody passed it on: the address is that of the other end of this connection. */
  readonly isDirect: boolean
  /** A header that says it was forwarded, by somebody who is not trusted or does not say for whom. */
  readonly doubt: string | null
  /** The name it was sent to, with the port where one is known. */
  readonly host: string | undefined
  readonly isSecure: boolean
}

const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/

export function clientOf(request: IncomingMessage, trusted: BlockList | null): Client {
  const { headers, socket } = request
  const peer = plainAddress(socket.remoteAddress)
  const doubt = Object.keys(headers).find((name) => FORWARDED.test(name)) ?? null
  const isSecure = 'encrypted' in socket && socket.encrypted === true
  const direct = { address: peer, isDirect: true, doubt, host: headers.host, isSecure }
  if (doubt === null || !trusted || !contains(trusted, peer)) return direct
  const chain = listed(headers['x-forwarded-for']).map(addressIn)
  const [nearest] = chain.slice(-1)
  if (nearest === undefined) return direct
  const proto = listed(headers['x-forwarded-proto']).at(-1)?.toLowerCase()
  return {
    // Each proxy adds whom it heard: from the right, the first that is no proxy of ours is the client; the rest is hearsay.
    address: chain.findLast((address) => !contains(trusted, address)) ?? chain[0] ?? nearest,
    isDirect: false,
    doubt: null,
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
 * Proxies that leave the port out of the Host header may tell it separately. A standard port adds nothing to a name without one, and
 * is wrong where a load balancer speaks HTTPS and the proxy behind it says 80.
 */
function withPort(host: string | undefined, port: string | undefined): string | undefined {
  if (host === undefined || port === undefined || !/^\d{1,5}$/.test(port)) return host
  if (port === '80' || port === '443') return host
  return hostAndPort(host)?.port === null ? `${host}:${port}` : host
}

/** Some add the port. What is no address is kept as it is: it is on no list. */
function addressIn(text: string): string {
  const address = plainAddress(text)
  if (isIP(address) !== 0) return address
  return plainAddress(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text)?.slice(1).find(Boolean) ?? text)
}
