/** Admission, token and origin checks as functions, then over real connections. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { admit } from '../../server/http/auth/admission.ts'
import { authenticateByToken } from '../../server/http/auth/authenticate.ts'
import { requireOwnOrigin } from '../../server/http/auth/origin-check.ts'
import { requireJson } from '../../server/http/requests/read-json.ts'
import { call, describeServer, type TestServer } from '../support/server.ts'
import { access } from './support/access.ts'
import { incoming } from './support/incoming.ts'
import { verdict } from './support/verdict.ts'

const LOCAL = '127.0.0.1'
const NAMES = 'Queue.internal,ops.internal:8443,web.internal:443,[fd00::7]:8443,fd00::8'

describe('a server without a token', () => {
  const allowed = access({ ALLOW_IPS: '10.0.0.0/8, 192.168.7.7, fd00::/8' })
  it.each([
    ['loopback', LOCAL, 'passes'],
    ['any 127 address', '127.9.9.9', 'passes'],
    ['IPv6 loopback', '::1', 'passes'],
    ['mapped loopback', '::ffff:127.0.0.1', 'passes'],
    ['an allowed network', '10.200.3.4', 'passes'],
    ['a mapped address of an allowed network', '::ffff:10.200.3.4', 'passes'],
    ['an allowed address', '192.168.7.7', 'passes'],
    ['an allowed IPv6 network', 'fd12::1', 'passes'],
    ['the address next to it', '192.168.7.8', 'FORBIDDEN'],
    ['any other address', '203.0.113.9', 'FORBIDDEN'],
    ['any other mapped address', '::ffff:203.0.113.9', 'FORBIDDEN'],
    ['an empty address', '', 'FORBIDDEN'],
  ])('a server without a token checks %s (%s): %s', (_, peer, expected) => {
    expect(verdict(() => admit(incoming({ peer, headers: { host: 'localhost:3000' } }), allowed))).toBe(expected)
  })

  it('a server without a token treats a client with its own address as local', () => {
    const own = { peer: '::ffff:192.0.2.2', local: '192.0.2.2', headers: { host: '192.0.2.2:3000' } }
    expect(verdict(() => admit(incoming(own), access()))).toBe('passes')
  })

  it('a server without a token serves only loopback addresses when ALLOW_IPS is not set', () => {
    expect(verdict(() => admit(incoming({ peer: '10.0.0.1', headers: { host: 'localhost' } }), access()))).toBe(
      'FORBIDDEN',
    )
  })

  it.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'])(
    'a server without a token rejects a request with the header %s',
    (name) => {
      const request = incoming({ peer: LOCAL, headers: { host: 'localhost', [name]: '203.0.113.9' } })
      expect(verdict(() => admit(request, access()))).toBe('FORBIDDEN')
    },
  )

  it.each([
    ['localhost:3000', 'passes'],
    ['127.0.0.1', 'passes'],
    ['[::1]:3000', 'passes'],
    ['LOCALHOST', 'passes'],
    ['localhost.', 'passes'],
    ['queue.internal:3000', 'passes'],
    ['ops.internal:8443', 'passes'],
    ['ops.internal:3000', 'FORBIDDEN'],
    ['ops.internal', 'FORBIDDEN'],
    ['web.internal', 'passes'],
    ['[fd00::7]:8443', 'passes'],
    ['[fd00::7]:3000', 'FORBIDDEN'],
    ['[fd00::8]:3000', 'passes'],
    ['10.0.0.5:3000', 'passes'],
    ['evil.example', 'FORBIDDEN'],
    ['localhost.evil.example', 'FORBIDDEN'],
    ['127.0.0.1.evil.example:3000', 'FORBIDDEN'],
    ['evil.example:3000@localhost', 'FORBIDDEN'],
    ['10.0.0.6', 'FORBIDDEN'],
    ['', 'FORBIDDEN'],
    [undefined, 'FORBIDDEN'],
  ])('a server without a token checks the host name %s: %s', (host, expected) => {
    const request = incoming({ peer: LOCAL, local: '::ffff:10.0.0.5', headers: host === undefined ? {} : { host } })
    expect(verdict(() => admit(request, access({ ALLOWED_HOSTS: NAMES })))).toBe(expected)
  })

  it('a server without a token gives an admitted caller all scopes', () => {
    expect(authenticateByToken(incoming({ peer: LOCAL }), access())).toEqual({
      actor: 'local',
      scopes: new Set(['produce', 'work', 'read', 'admin']),
      typePrefix: null,
      mayRunCommands: false,
    })
  })
})

describe('a server with a token', () => {
  const guarded = access({ AUTH_TOKEN: 'a-secret-of-some-length', HOST: '0.0.0.0' })
  it.each([
    ['Bearer a-secret-of-some-length', 'passes'],
    ['bearer a-secret-of-some-length', 'passes'],
    ['Bearer  a-secret-of-some-length', 'passes'],
    ['Bearer a-secret-of-some-lengtH', 'UNAUTHORIZED'],
    ['Bearer a-secret', 'UNAUTHORIZED'],
    ['Bearer a-secret-of-some-length-and-more', 'UNAUTHORIZED'],
    ['Bearer ', 'UNAUTHORIZED'],
    ['Basic YS1zZWNyZXQ=', 'UNAUTHORIZED'],
    ['a-secret-of-some-length', 'UNAUTHORIZED'],
    [undefined, 'UNAUTHORIZED'],
  ])('a server with a token checks the header authorization: %s: %s', (authorization, expected) => {
    const request = incoming({ peer: LOCAL, headers: authorization === undefined ? {} : { authorization } })
    expect(verdict(() => authenticateByToken(request, guarded))).toBe(expected)
  })

  it('a server with a token admits requests from any address and through any proxy', () => {
    const headers = { host: 'queue.example', 'x-forwarded-for': '203.0.113.9' }
    expect(verdict(() => admit(incoming({ peer: '203.0.113.9', headers }), guarded))).toBe('passes')
  })

  it('a server with a token requires it from loopback addresses too', () => {
    expect(verdict(() => authenticateByToken(incoming({ peer: LOCAL }), guarded))).toBe('UNAUTHORIZED')
  })

  it('a server with a token checks host names when ALLOWED_HOSTS is set', () => {
    const strict = access({ AUTH_TOKEN: 'secret', ALLOWED_HOSTS: 'queue.example' })
    const name = (host: string) => verdict(() => admit(incoming({ peer: '203.0.113.9', headers: { host } }), strict))
    expect([name('queue.example'), name('evil.example')]).toEqual(['passes', 'FORBIDDEN'])
  })
})

describe('requireOwnOrigin', () => {
  const host = 'localhost:3000'
  it.each<[string, IncomingHttpHeaders, string]>([
    ['no browser headers', {}, 'passes'],
    ['the own page', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' }, 'passes'],
    ['an address typed by hand', { 'sec-fetch-site': 'none' }, 'passes'],
    ['an allowed host behind a proxy', { origin: 'https://queue.example' }, 'passes'],
    ['another site', { origin: 'https://evil.example' }, 'FORBIDDEN'],
    ['another port', { origin: 'http://localhost:8080' }, 'FORBIDDEN'],
    ['another port of an allowed host', { origin: 'https://queue.example:8443' }, 'FORBIDDEN'],
    ['the port of an allowed host with a port', { origin: 'https://ops.example:8443' }, 'passes'],
    ['another port of an allowed host with a port', { origin: 'https://ops.example' }, 'FORBIDDEN'],
    ['a browser extension', { origin: 'chrome-extension://localhost:3000' }, 'FORBIDDEN'],
    ['a sandboxed frame', { origin: 'null' }, 'FORBIDDEN'],
    ['an image on another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 'FORBIDDEN'],
    ['an image on a sibling site', { 'sec-fetch-site': 'same-site' }, 'FORBIDDEN'],
  ])('requireOwnOrigin checks %s %j: %s', (_, headers, expected) => {
    const request = incoming({ peer: LOCAL, headers: { host, ...headers } })
    expect(verdict(() => requireOwnOrigin(request, access({ ALLOWED_HOSTS: 'queue.example,ops.example:8443' })))).toBe(
      expected,
    )
  })
})

describe('requireJson', () => {
  it.each([
    ['application/json', 'passes'],
    ['application/json; charset=utf-8', 'passes'],
    ['Application/JSON', 'passes'],
    ['application/jsonl', 'NOT_JSON'],
    ['text/plain', 'NOT_JSON'],
    ['application/x-www-form-urlencoded', 'NOT_JSON'],
    ['multipart/form-data; boundary=x', 'NOT_JSON'],
    ['application/octet-stream', 'NOT_JSON'],
    [undefined, 'NOT_JSON'],
  ])('requireJson checks the content type %s: %s', (type, expected) => {
    const headers: IncomingHttpHeaders = type === undefined ? {} : { 'content-type': type }
    expect(verdict(() => requireJson(incoming({ method: 'POST', headers })))).toBe(expected)
  })

  it('requireJson rejects compressed bodies', () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect(verdict(() => requireJson(incoming({ method: 'POST', headers })))).toBe('NOT_JSON')
  })
})

describeServer('a server over real connections', (startServer) => {
  const JOB = { type: 'mail', payload: 1 }

  it.each<[string, IncomingHttpHeaders, number]>([
    ['a rebound host name', { host: 'evil.example' }, 403],
    ['a foreign origin', { origin: 'https://evil.example' }, 403],
    ['a form post', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['a plain text post', { 'content-type': 'text/plain' }, 415],
    ['a forwarded request', { 'x-forwarded-for': '203.0.113.9' }, 403],
  ])('a server rejects %s and changes nothing', async (_, headers, status) => {
    const server = await startServer()
    expect(await post(server, '/trpc/enqueue', JSON.stringify(JOB), headers)).toMatchObject({ status })
    expect((await server.engine.counts()).pending).toBe(0)
  })

  it('a server rejects a claim that an image on another site sends', async () => {
    const server = await startServer()
    await server.engine.enqueue(JOB)
    const input = encodeURIComponent(JSON.stringify({ worker: 'w' }))
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
    for (const headers of [image, {}]) {
      const response = await fetch(`${server.url}/trpc/claim?input=${input}`, { headers })
      expect(response.status).toBe('sec-fetch-site' in headers ? 403 : 405)
    }
    expect(await server.engine.counts()).toMatchObject({ pending: 1, processing: 0 })
  })

  it('a server rejects calls without the token and serves calls with it', async () => {
    const server = await startServer({ AUTH_TOKEN: 'a-secret' })
    const without = await call(server, 'enqueue', 'mutation', JOB)
    expect(without).toMatchObject({ status: 401, body: { error: { data: { queueCode: 'UNAUTHORIZED' } } } })
    expect(without.headers.get('www-authenticate')).toBe('Bearer realm="millrace"')
    expect((await call(server, 'stats', 'query')).status).toBe(401)
    expect((await fetch(`${server.url}/trpc/events`)).status).toBe(401)
    const bearer = { authorization: 'Bearer a-secret' }
    expect((await call(server, 'enqueue', 'mutation', JOB, bearer)).status).toBe(200)
    await call(server, 'settings.pause', 'mutation', undefined, bearer)
    expect(await server.engine.auditTrail()).toMatchObject([{ actor: 'token' }])
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })
})

/** fetch does not allow setting Host or Origin. */
function post({ address }: TestServer, path: string, body: string, headers: IncomingHttpHeaders) {
  return new Promise<{ status: number | undefined }>((resolve, reject) => {
    const request = httpRequest(
      {
        port: address.port,
        host: LOCAL,
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => response.resume().once('end', () => resolve({ status: response.statusCode })),
    )
    request.once('error', reject).end(body)
  })
}
