/** Who is behind a proxy, and what that means at the door. */
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { admit, identifyForJsonQueue, requireNoOtherPage, requireOwnOrigin } from '../../server/http/auth/guards.ts'
import { clientOf } from '../../server/http/auth/proxy.ts'
import { access, type TestKey } from '../http/door.ts'
import { incoming } from '../http/incoming.ts'
import { verdict } from '../http/verdict.ts'

const PROXY = '10.0.0.2'
const trusting = access({ TRUSTED_PROXIES: '10.0.0.0/24, ::1', ALLOW_IPS: '192.168.0.0/16' })
const from = (peer: string, headers: IncomingHttpHeaders) => incoming({ peer, local: '10.0.0.9', headers })
const seen = (peer: string, headers: IncomingHttpHeaders) => clientOf(from(peer, headers), trusting.trustedProxies)

describe('the client', () => {
  it.each<[string, string, IncomingHttpHeaders, string]>([
    ['who speaks for itself', '203.0.113.9', {}, '203.0.113.9'],
    ['whom our proxy names', PROXY, { 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    ['not whom the client named before', PROXY, { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' }, '203.0.113.9'],
    ['behind two of ours', PROXY, { 'x-forwarded-for': '1.2.3.4, 203.0.113.9, 10.0.0.7' }, '203.0.113.9'],
    ['one of ours by itself', PROXY, { 'x-forwarded-for': '10.0.0.7, 10.0.0.8' }, '10.0.0.7'],
    ['not whom a stranger names', '203.0.113.9', { 'x-forwarded-for': '192.168.0.1' }, '203.0.113.9'],
    ['with its port', PROXY, { 'x-forwarded-for': '203.0.113.9:4711' }, '203.0.113.9'],
    ['of IPv6, with its port', PROXY, { 'x-forwarded-for': '[2001:db8::7]:4711' }, '2001:db8::7'],
    ['as a socket for both families writes it', `::ffff:${PROXY}`, { 'x-forwarded-for': '::ffff:1.2.3.4' }, '1.2.3.4'],
    ['nobody knows', PROXY, { 'x-forwarded-for': 'unknown' }, 'unknown'],
  ])('is the one %s', (_, peer, headers, address) => {
    expect(seen(peer, headers).address).toBe(address)
  })

  it('is asked for by the name and the scheme that our proxy tells, not by those of others', () => {
    const told = {
      host: 'inside:3000',
      'x-forwarded-host': 'evil.example, queue.example',
      'x-forwarded-proto': 'https',
    }
    const named = { ...told, 'x-forwarded-for': '203.0.113.9' }
    expect(seen(PROXY, named)).toMatchObject({ host: 'queue.example', isSecure: true, isDirect: false, doubt: null })
    expect(seen('203.0.113.9', named)).toMatchObject({ host: 'inside:3000', isSecure: false, isDirect: true })
    // Without a client it says too little.
    expect(seen(PROXY, told)).toMatchObject({ host: 'inside:3000', isSecure: false, doubt: 'x-forwarded-host' })
  })
})

describe('without a token', () => {
  const host = 'localhost:3000'
  it.each<[string, string, IncomingHttpHeaders, string]>([
    ['an allowed client of our proxy', PROXY, { 'x-forwarded-for': '192.168.0.1' }, 'passes'],
    ['any other client of our proxy', PROXY, { 'x-forwarded-for': '203.0.113.9' }, 'FORBIDDEN'],
    ['a client that says it is local', PROXY, { 'x-forwarded-for': '127.0.0.1' }, 'FORBIDDEN'],
    ['a client on this machine, through its own proxy', '::1', { 'x-forwarded-for': '127.0.0.1' }, 'FORBIDDEN'],
    ['a caller on this machine', '::1', {}, 'passes'],
    ['our proxy that does not say for whom', '::1', { via: '1.1 proxy' }, 'FORBIDDEN'],
    ['the proxy of a stranger', '127.0.0.1', { 'x-forwarded-for': '192.168.0.1' }, 'FORBIDDEN'],
    ['a foreign name', PROXY, { 'x-forwarded-for': '192.168.0.1', 'x-forwarded-host': 'evil.example' }, 'FORBIDDEN'],
  ])('%s', (_, peer, headers, expected) => {
    expect(verdict(() => admit(from(peer, { host, ...headers }), trusting))).toBe(expected)
  })
})

describe('pages', () => {
  it('are our own by the name that our proxy tells', () => {
    const names = { host: 'inside:3000', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'queue.example' }
    const own = from(PROXY, { ...names, origin: 'https://queue.example' })
    const other = from('203.0.113.9', { ...names, origin: 'https://queue.example' })
    expect([own, other].map((request) => verdict(() => requireOwnOrigin(request, trusting)))).toEqual([
      'passes',
      'FORBIDDEN',
    ])
  })

  it('are our own by the port that our proxy tells, where the name has none', () => {
    const names = { host: 'queue.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-port': '8080' }
    const by = (peer: string, origin: string) =>
      verdict(() => requireOwnOrigin(from(peer, { ...names, origin }), trusting))
    expect([by(PROXY, 'http://queue.example:8080'), by(PROXY, 'http://queue.example')]).toEqual(['passes', 'FORBIDDEN'])
    // From anyone else the header means nothing.
    expect(by('203.0.113.9', 'http://queue.example:8080')).toBe('FORBIDDEN')
    expect(seen(PROXY, { ...names, host: 'queue.example:81' }).host).toBe('queue.example:81')
    expect(seen(PROXY, { ...names, 'x-forwarded-port': '80;x' }).host).toBe('queue.example')
  })

  it('are our own behind a load balancer that speaks HTTPS to a proxy on port 80', () => {
    const names = { host: 'queue.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-port': '80' }
    const by = (origin: string, proto: Record<string, string>) =>
      verdict(() => requireOwnOrigin(from(PROXY, { ...names, ...proto, origin }), trusting))
    expect([by('https://queue.example', {}), by('https://queue.example', { 'x-forwarded-proto': 'https' })]).toEqual([
      'passes',
      'passes',
    ])
    expect(by('https://queue.example:8443', {})).toBe('FORBIDDEN')
  })

  it('on plain HTTP are not those of a server that is reached by HTTPS', () => {
    const names = { host: 'queue.example', 'x-forwarded-for': '203.0.113.9' }
    const by = (origin: string, proto: Record<string, string>) =>
      verdict(() => requireOwnOrigin(from(PROXY, { ...names, ...proto, origin }), trusting))
    const https = { 'x-forwarded-proto': 'https' }
    expect([by('https://queue.example', https), by('http://queue.example', https)]).toEqual(['passes', 'FORBIDDEN'])
    expect([by('https://queue.example', {}), by('http://queue.example', {})]).toEqual(['passes', 'passes'])
  })

  it('on another port of a name in ALLOWED_HOSTS take nothing', () => {
    const named = access({ ALLOWED_HOSTS: 'queue.example', ALLOW_IPS: '10.0.0.0/8' })
    const page = (headers: IncomingHttpHeaders) =>
      verdict(() => requireNoOtherPage(from('10.0.0.1', { host: 'queue.example:3000', ...headers }), named))
    for (const url of ['http://queue.example:8080', 'http://queue.example', 'https://queue.example:3001']) {
      expect([url, page({ referer: `${url}/page` }), page({ origin: url })]).toEqual([url, 'FORBIDDEN', 'FORBIDDEN'])
    }
    // Nor by another address of the same server.
    expect(page({ host: '10.0.0.9:3000', referer: 'http://queue.example/page' })).toBe('FORBIDDEN')
    expect(page({ referer: 'http://queue.example:3000/page' })).toBe('passes')
  })

  it('that browsers name as Referer alone take nothing either', () => {
    const cors = access({ CORS_ORIGINS: 'https://app.example' })
    const by = (referer: string) =>
      verdict(() => requireNoOtherPage(from('127.0.0.1', { host: 'localhost:3000', referer }), cors))
    expect([by('http://localhost:3000/jobs'), by('https://app.example/x')]).toEqual(['passes', 'passes'])
    expect([by('https://evil.example/'), by('nonsense')]).toEqual(['FORBIDDEN', 'FORBIDDEN'])
  })
})

describe('/api/queue', () => {
  const tokens: readonly TestKey[] = [{ secret: 'mr_one', scopes: ['work'], name: 'one' }]
  const locked = access({ ALLOW_IPS: '192.168.0.0/16', TRUSTED_PROXIES: PROXY }, { tokens })
  const asked = (peer: string, headers: IncomingHttpHeaders = {}) =>
    verdict(() => identifyForJsonQueue(from(peer, headers), locked), 'actor')

  it('lets the addresses in ALLOW_IPS in without a token, and nobody who only says so', () => {
    expect([asked('192.168.0.1'), asked('::ffff:192.168.0.1')]).toEqual(['ip:192.168.0.1', 'ip:192.168.0.1'])
    expect(asked(PROXY, { 'x-forwarded-for': '192.168.0.1' })).toBe('ip:192.168.0.1')
    expect([asked('127.0.0.1'), asked('203.0.113.9')]).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED'])
    expect(asked('203.0.113.9', { 'x-forwarded-for': '192.168.0.1' })).toBe('UNAUTHORIZED')
    expect(asked('192.168.0.1', { 'x-forwarded-for': '203.0.113.9' })).toBe('UNAUTHORIZED')
  })

  it('takes a token that is sent for what it is', () => {
    expect(asked('192.168.0.1', { authorization: 'Bearer mr_one' })).toBe('token:one')
    expect(asked('192.168.0.1', { authorization: 'Bearer wrong' })).toBe('UNAUTHORIZED')
  })
})
