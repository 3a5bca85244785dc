/** Sign-in: the session cookie, its access and its end. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { ANONYMOUS } from '../../server/http/auth/access.ts'
import { HOUR } from '../../shared/limits.ts'
import { postgres } from '../support/places.ts'
import { call, describeServer, startOn, type TestServer } from '../support/server.ts'

const ROOT = 'the-root-token'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** fetch does not allow setting Origin. */
function send({ address }: TestServer, route: string, body?: unknown, headers: IncomingHttpHeaders = {}) {
  const [method, path] = route.split(' ')
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const options = { port: address.port, host: '127.0.0.1', method, path, headers: { ...json, ...headers } }
  return new Promise<Reply>((resolve, reject) => {
    const request = httpRequest(options, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      const { statusCode: status = 0, headers: received } = response
      resolve({ status, headers: received, body: text === '' ? null : JSON.parse(text) })
    })
    request.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const cookieIn = ({ headers }: Reply) => headers['set-cookie']?.[0] ?? ''
const pairIn = (reply: Reply) => cookieIn(reply).split(';')[0] ?? ''

async function signedIn(server: TestServer, token = ROOT): Promise<string> {
  return pairIn(await send(server, 'POST /session', { token }))
}

const opens = async (
  server: TestServer,
  cookie: string,
  headers: IncomingHttpHeaders = {},
  route = 'GET /trpc/facts',
) => (await send(server, route, undefined, { cookie, ...headers })).status

describeServer('a session', (startServer) => {
  it('is a SameSite cookie that authenticates until sign-out', async () => {
    const server = await startServer({ AUTH_TOKEN: ROOT })
    const signedOut = { actor: null, scopes: [], typePrefix: null, asksForToken: true, isSession: false, by: null }
    expect((await send(server, 'GET /session')).body).toEqual(signedOut)
    const opened = await send(server, 'POST /session', { token: ROOT })
    expect(cookieIn(opened)).toMatch(/^millrace_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const scopes = ['produce', 'work', 'read', 'admin']
    const signedInAs = { actor: 'token', scopes, typePrefix: null, asksForToken: true, isSession: true, by: 'session' }
    expect([opened.status, opened.body]).toEqual([200, signedInAs])
    const cookie = pairIn(opened)
    expect((await send(server, 'GET /session', undefined, { cookie })).body).toEqual(signedInAs)
    const bearer = { authorization: `Bearer ${ROOT}` }
    expect((await send(server, 'GET /session', undefined, bearer)).body).toEqual({
      ...signedInAs,
      isSession: false,
      by: 'token',
    })
    expect([await opens(server, cookie), await opens(server, `other=1; ${cookie}`)]).toEqual([200, 200])
    const closed = await send(server, 'DELETE /session', undefined, { cookie })
    expect([closed.status, cookieIn(closed)]).toEqual([
      204,
      'millrace_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ])
    expect(await opens(server, cookie)).toBe(401)
    expect((await send(server, 'DELETE /session', undefined, { cookie })).status).toBe(204)
    expect((await server.engine.auditTrail()).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'token session.close',
      'token session.open',
    ])
    const secret = cookie.split('=')[1] ?? ''
    expect(JSON.stringify(await server.place.sql('SELECT * FROM millrace_sessions'))).not.toContain(secret)
    expect(server.logText()).not.toContain(secret)
  })

  it('is not opened without a dashboard token; the audit trail has the address, not the token', async () => {
    const server = await startServer({ AUTH_TOKEN: ROOT })
    const { engine } = server
    const worker = await engine.createToken({ name: 'worker', scopes: ['work'] })
    const mailer = await engine.createToken({ name: 'mailer', scopes: ['read'], typePrefix: 'mail.' })
    const tries = ['wrong-secret', worker.token, mailer.token]
    const replies = await Promise.all(tries.map((token) => send(server, 'POST /session', { token })))
    expect(replies.map(({ status }) => status)).toEqual([401, 403, 403])
    expect(replies.map(cookieIn)).toEqual(['', '', ''])
    const bad = [{}, { token: '' }, { token: 7 }, { token: ROOT, more: 1 }, 'x']
    for (const body of bad) expect((await send(server, 'POST /session', body)).status).toBe(400)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await send(server, 'POST /session', { token: ROOT }, form)).status).toBe(415)
    expect((await send(server, 'POST /session', { token: 'x'.repeat(5_000) })).status).toBe(413)
    expect((await send(server, 'PUT /session', {})).status).toBe(405)
    const refused = (await engine.auditTrail()).filter(({ action }) => action === 'session.refused')
    expect(refused.map(({ actor, target }) => [actor, target])).toEqual(tries.map(() => [ANONYMOUS, '127.0.0.1']))
    expect(JSON.stringify(refused)).not.toMatch(/wrong-secret|mr_/)
  })

  it('is rejected from pages of other origins and by the REST adapters', async () => {
    const server = await startServer({
      AUTH_TOKEN: ROOT,
      CORS_ORIGINS: 'https://app.example',
      ALLOWED_HOSTS: 'q.example',
    })
    const cookie = await signedIn(server)
    const own = { origin: server.url, 'sec-fetch-site': 'same-origin' }
    expect([await opens(server, cookie, own), await opens(server, cookie, { origin: 'https://q.example' })]).toEqual([
      200, 200,
    ])
    const others: IncomingHttpHeaders[] = [
      { origin: 'https://evil.example' },
      { origin: 'https://app.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of others) {
      expect([headers, await opens(server, cookie, headers)]).toEqual([headers, 403])
      expect((await send(server, 'POST /session', { token: ROOT }, headers)).status).toBe(403)
      expect((await send(server, 'DELETE /session', undefined, { cookie, ...headers })).status).toBe(403)
    }
    for (const route of ['GET /api/queue', 'GET /v1/messages', 'GET /api/tasks']) {
      expect([route, await opens(server, cookie, own, route)]).toEqual([route, 401])
    }
    expect(await opens(server, cookie, { authorization: 'Bearer wrong' })).toBe(401)
    expect(await opens(server, cookie)).toBe(200)
  })

  it('has the scopes of its token, and ends with it', async () => {
    const server = await startServer()
    const { engine } = server
    const reader = await engine.createToken({ name: 'reader', scopes: ['read'] })
    const cookie = await signedIn(server, reader.token)
    const pause = () => call(server, 'settings.pause', 'mutation', undefined, { cookie })
    expect([await opens(server, cookie), (await pause()).status]).toEqual([200, 403])
    await engine.createToken({ scopes: ['admin'] })
    await server.place.sql(`UPDATE millrace_tokens SET expires_at = 1 WHERE name = 'reader'`)
    engine.keyring.changed()
    expect(await opens(server, cookie)).toBe(401)
    await server.place.sql(`UPDATE millrace_tokens SET expires_at = NULL WHERE name = 'reader'`)
    engine.keyring.changed()
    expect(await opens(server, cookie)).toBe(200)
    await engine.revokeToken({ id: reader.id })
    expect(await opens(server, cookie)).toBe(401)
    expect(await server.place.sql('SELECT * FROM millrace_sessions')).toEqual([])
  })

  it('survives a restart, and ends when AUTH_TOKEN changes or after twelve idle hours', async () => {
    const first = await startServer({ AUTH_TOKEN: ROOT })
    const { place } = first
    const cookie = await signedIn(first)
    await first.close()
    const again = await startServer({ AUTH_TOKEN: ROOT }, { place })
    expect(await opens(again, cookie)).toBe(200)
    await again.close()
    const changed = await startServer({ AUTH_TOKEN: 'another' }, { place })
    expect(await opens(changed, cookie)).toBe(401)
    await changed.close()
    const idle = await startServer({ AUTH_TOKEN: ROOT }, { place })
    expect(await opens(idle, cookie)).toBe(200)
    await place.sql(`UPDATE millrace_sessions SET seen_at = seen_at - ${12 * HOUR + 60_000}`)
    expect(await opens(idle, cookie)).toBe(401)
  })

  it('is limited to its base path, and to HTTPS behind a proxy with HTTPS', async () => {
    const server = await startServer({ AUTH_TOKEN: ROOT, BASE_PATH: '/tools/queue', TRUSTED_PROXIES: '127.0.0.1' })
    const https = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const behind = await send(server, 'POST /tools/queue/session', { token: ROOT }, https)
    expect(cookieIn(behind)).toMatch(/; Path=\/tools\/queue; HttpOnly; SameSite=Strict; Secure$/)
    const plain = await send(server, 'POST /tools/queue/session', { token: ROOT })
    expect(cookieIn(plain)).toMatch(/; Path=\/tools\/queue; HttpOnly; SameSite=Strict$/)
    expect((await server.engine.auditTrail()).map(({ details }) => details)).toEqual([
      { address: '127.0.0.1' },
      { address: '203.0.113.9' },
    ])
    expect((await send(server, 'POST /session', { token: ROOT })).status).toBe(404)
  })

  it('is not needed on a server without tokens', async () => {
    const server = await startServer()
    const who = { actor: 'local', scopes: ['produce', 'work', 'read', 'admin'], typePrefix: null }
    expect((await send(server, 'GET /session')).body).toEqual({
      ...who,
      ...{ asksForToken: false, isSession: false, by: 'open' },
    })
    expect((await send(server, 'POST /session', { token: 'x' })).status).toBe(409)
  })
})

it('a session is valid at every node on PostgreSQL, and ends at all of them', async () => {
  const start = startOn(postgres)
  const one = await start({ AUTH_TOKEN: ROOT })
  const other = await start({ AUTH_TOKEN: ROOT }, { place: one.place })
  const cookie = await signedIn(one)
  expect(await opens(other, cookie)).toBe(200)
  await send(one, 'DELETE /session', undefined, { cookie })
  expect([await opens(one, cookie), await opens(other, cookie)]).toEqual([401, 401])
})
