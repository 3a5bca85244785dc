/** Client address behind proxies, and its effect on admission, origins and authentication. */
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { admit } from '../../server/http/auth/admission.ts'
import { authenticateForJsonQueue } from '../../server/http/auth/authenticate.ts'
import { requireNoOtherPage, requireOwnOrigin } from '../../server/http/auth/origin-check.ts'
import { clientOf } from '../../server/http/auth/proxy.ts'
import { access, type TestKey } from '../http/support/access.ts'
import { incoming } from '../http/support/incoming.ts'
import { verdict } from '../http/support/verdict.ts'

const PROXY = '10.0.0.2'
const trusting = access({ TRUSTED_PROXIES: '10.0.0.0/24, ::1', ALLOW_IPS: '192.168.0.0/16' })
const from = (peer: string, headers: IncomingHttpHeaders) => incoming({ peer, local: '10.0.0.9', headers })
const seen = (peer: string, headers: IncomingHttpHeaders) => clientOf(from(peer, headers), trusting.trustedProxies)

describe('clientOf', () => {
  it.each<[string, string, IncomingHttpHeaders, string]>([
    ['the peer without forwarding headers', '203.0.113.9', {}, '203.0.113.9'],
    ['the address that a trusted proxy forwards', PROXY, { 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    [
      'the last address, not one that the client sent itself',
      PROXY,
      { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
      '203.0.113.9',
    ],
    [
      'the client behind two trusted proxies',
      PROXY,
      { 'x-forwarded-for': '1.2.3.4, 203.0.113.9, 10.0.0.7' },
      '203.0.113.9',
    ],
    ['the first trusted proxy if all are trusted', PROXY, { 'x-forwarded-for': '10.0.0.7, 10.0.0.8' }, '10.0.0.7'],
    ['the peer if it is not a trusted proxy', '203.0.113.9', { 'x-forwarded-for': '192.168.0.1' }, '203.0.113.9'],
    ['the address without its port', PROXY, { 'x-forwarded-for': '203.0.113.9:4711' }, '203.0.113.9'],
    ['the IPv6 address without its port', PROXY, { 'x-forwarded-for': '[2001:db8::7]:4711' }, '2001:db8::7'],
    ['a mapped IPv4 address as plain IPv4', `::ffff:${PROXY}`, { 'x-forwarded-for': '::ffff:1.2.3.4' }, '1.2.3.4'],
    ['the text unknown if a proxy sends that', PROXY, { 'x-forwarded-for': 'unknown' }, 'unknown'],
  ])('returns %s', (_, peer, headers, address) => {
    expect(seen(peer, headers).address).toBe(address)
  })

  it('takes host and scheme from a trusted proxy only', () => {
    const forwarded = {
      host: 'inside:3000',
      'x-forwarded-host': 'evil.example, queue.example',
      'x-forwarded-proto': 'https',
    }
    const named = { ...forwarded, 'x-forwarded-for': '203.0.113.9' }
    expect(seen(PROXY, named)).toMatchObject({
      host: 'queue.example',
      isSecure: true,
      isDirect: false,
      untrustedHeader: null,
    })
    expect(seen('203.0.113.9', named)).toMatchObject({ host: 'inside:3000', isSecure: false, isDirect: true })
    // Without X-Forwarded-For the headers of a trusted proxy are ignored.
    expect(seen(PROXY, forwarded)).toMatchObject({
      host: 'inside:3000',
      isSecure: false,
      untrustedHeader: 'x-forwarded-host',
    })
  })
})

describe('admit without a token', () => {
  const host = 'localhost:3000'
  it.each<[string, string, IncomingHttpHeaders, string]>([
    ['an allowed client of a trusted proxy', PROXY, { 'x-forwarded-for': '192.168.0.1' }, 'passes'],
    ['any other client of a trusted proxy', PROXY, { 'x-forwarded-for': '203.0.113.9' }, 'FORBIDDEN'],
    ['a client that a proxy reports as local', PROXY, { 'x-forwarded-for': '127.0.0.1' }, 'FORBIDDEN'],
    ['a local client through a local proxy', '::1', { 'x-forwarded-for': '127.0.0.1' }, 'FORBIDDEN'],
    ['a local client', '::1', {}, 'passes'],
    ['a trusted proxy without X-Forwarded-For', '::1', { via: '1.1 proxy' }, 'FORBIDDEN'],
    ['an untrusted proxy', '127.0.0.1', { 'x-forwarded-for': '192.168.0.1' }, 'FORBIDDEN'],
    [
      'a host name that is not allowed',
      PROXY,
      { 'x-forwarded-for': '192.168.0.1', 'x-forwarded-host': 'evil.example' },
      'FORBIDDEN',
    ],
  ])('checks %s', (_, peer, headers, expected) => {
    expect(verdict(() => admit(from(peer, { host, ...headers }), trusting))).toBe(expected)
  })
})

describe('origin checks', () => {
  it('use the host name that a trusted proxy forwards', () => {
    const names = { host: 'inside:3000', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'queue.example' }
    const own = from(PROXY, { ...names, origin: 'https://queue.example' })
    const other = from('203.0.113.9', { ...names, origin: 'https://queue.example' })
    expect([own, other].map((request) => verdict(() => requireOwnOrigin(request, trusting)))).toEqual([
      'passes',
      'FORBIDDEN',
    ])
  })

  it('use the port that a trusted proxy forwards if the host has none', () => {
    const names = { host: 'queue.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-port': '8080' }
    const by = (peer: string, origin: string) =>
      verdict(() => requireOwnOrigin(from(peer, { ...names, origin }), trusting))
    expect([by(PROXY, 'http://queue.example:8080'), by(PROXY, 'http://queue.example')]).toEqual(['passes', 'FORBIDDEN'])
    // The header of an untrusted peer is ignored.
    expect(by('203.0.113.9', 'http://queue.example:8080')).toBe('FORBIDDEN')
    expect(seen(PROXY, { ...names, host: 'queue.example:81' }).host).toBe('queue.example:81')
    expect(seen(PROXY, { ...names, 'x-forwarded-port': '80;x' }).host).toBe('queue.example')
  })

  it('accept the own page behind a load balancer with HTTPS and a proxy on port 80', () => {
    const names = { host: 'queue.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-port': '80' }
    const by = (origin: string, proto: Record<string, string>) =>
      verdict(() => requireOwnOrigin(from(PROXY, { ...names, ...proto, origin }), trusting))
    expect([by('https://queue.example', {}), by('https://queue.example', { 'x-forwarded-proto': 'https' })]).toEqual([
      'passes',
      'passes',
    ])
    expect(by('https://queue.example:8443', {})).toBe('FORBIDDEN')
  })

  it('reject plain HTTP pages of a server that is reached by HTTPS', () => {
    const names = { host: 'queue.example', 'x-forwarded-for': '203.0.113.9' }
    const by = (origin: string, proto: Record<string, string>) =>
      verdict(() => requireOwnOrigin(from(PROXY, { ...names, ...proto, origin }), trusting))
    const https = { 'x-forwarded-proto': 'https' }
    expect([by('https://queue.example', https), by('http://queue.example', https)]).toEqual(['passes', 'FORBIDDEN'])
    expect([by('https://queue.example', {}), by('http://queue.example', {})]).toEqual(['passes', 'passes'])
  })

  it('reject pages on another port of a host in ALLOWED_HOSTS', () => {
    const named = access({ ALLOWED_HOSTS: 'queue.example', ALLOW_IPS: '10.0.0.0/8' })
    const page = (headers: IncomingHttpHeaders) =>
      verdict(() => requireNoOtherPage(from('10.0.0.1', { host: 'queue.example:3000', ...headers }), named))
    for (const url of ['http://queue.example:8080', 'http://queue.example', 'https://queue.example:3001']) {
      expect([url, page({ referer: `${url}/page` }), page({ origin: url })]).toEqual([url, 'FORBIDDEN', 'FORBIDDEN'])
    }
    // Also with another address of the same server.
    expect(page({ host: '10.0.0.9:3000', referer: 'http://queue.example/page' })).toBe('FORBIDDEN')
    expect(page({ referer: 'http://queue.example:3000/page' })).toBe('passes')
  })

  it('check the Referer when there is no Origin', () => {
    const cors = access({ CORS_ORIGINS: 'https://app.example' })
    const by = (referer: string) =>
      verdict(() => requireNoOtherPage(from('127.0.0.1', { host: 'localhost:3000', referer }), cors))
    expect([by('http://localhost:3000/jobs'), by('https://app.example/x')]).toEqual(['passes', 'passes'])
    expect([by('https://evil.example/'), by('nonsense')]).toEqual(['FORBIDDEN', 'FORBIDDEN'])
  })
})

describe('authenticateForJsonQueue', () => {
  const tokens: readonly TestKey[] = [{ secret: 'mr_one', scopes: ['work'], name: 'one' }]
  const locked = access({ ALLOW_IPS: '192.168.0.0/16', TRUSTED_PROXIES: PROXY }, { tokens })
  const actor = (peer: string, headers: IncomingHttpHeaders = {}) =>
    verdict(() => authenticateForJsonQueue(from(peer, headers), locked), 'actor')

  it('admits addresses in ALLOW_IPS without a token, and no forged addresses', () => {
    expect([actor('192.168.0.1'), actor('::ffff:192.168.0.1')]).toEqual(['ip:192.168.0.1', 'ip:192.168.0.1'])
    expect(actor(PROXY, { 'x-forwarded-for': '192.168.0.1' })).toBe('ip:192.168.0.1')
    expect([actor('127.0.0.1'), actor('203.0.113.9')]).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED'])
    expect(actor('203.0.113.9', { 'x-forwarded-for': '192.168.0.1' })).toBe('UNAUTHORIZED')
    expect(actor('192.168.0.1', { 'x-forwarded-for': '203.0.113.9' })).toBe('UNAUTHORIZED')
  })

  it('checks a token that is sent', () => {
    expect(actor('192.168.0.1', { authorization: 'Bearer mr_one' })).toBe('token:one')
    expect(actor('192.168.0.1', { authorization: 'Bearer wrong' })).toBe('UNAUTHORIZED')
  })
})
