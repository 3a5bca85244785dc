/** Access to the REST adapters: tokens and scopes, no cookies, no foreign pages. */
import { expect, it } from 'vitest'
import type { Scope } from '../../shared/scopes.ts'
import type { TestServer } from '../support/server.ts'
import { describeRest, outcome, send } from './send.ts'

const SECRET = 'a-secret-of-some-length'

const REQUESTS = [
  ['GET /api/queue'],
  ['POST /api/queue', { type: 'a', data: 1 }],
  ['GET /v1/messages'],
  ['POST /v1/messages', { body: 'x' }],
  ['GET /v1/stats'],
  ['GET /api/tasks'],
  ['POST /api/tasks/pause'],
  ['DELETE /api/task-queue/tasks'],
] as const

const statuses = async (server: TestServer, headers: Readonly<Record<string, string>> = {}) => {
  const all = []
  for (const [request, body] of REQUESTS) all.push((await send(server, request, body, headers)).status)
  return all
}
const each = (status: number) => REQUESTS.map(() => status)

describeRest('the REST adapters', (startServer) => {
  it('the REST adapters require a token if the server has one, and accept no cookie', async () => {
    const server = await startServer({ AUTH_TOKEN: SECRET })
    const session = await send(server, 'POST /session', { token: SECRET })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const signedIn = await fetch(`${server.url}/trpc/stats`, { headers: { cookie } })
    expect([signedIn.status, cookie]).toEqual([200, expect.stringMatching(/=./)])
    expect(await statuses(server, { cookie })).toEqual(each(401))
    const refused = await send(server, 'GET /v1/messages', undefined, { cookie })
    expect([refused.headers.get('www-authenticate'), refused.body]).toEqual([
      'Bearer realm="millrace"',
      { error: 'This server requires a token; send the header Authorization: Bearer <token>.' },
    ])
    expect(await statuses(server, { authorization: `Bearer ${SECRET}` })).toEqual([
      204, 201, 200, 201, 200, 200, 200, 200,
    ])
  })

  it('the REST adapters serve addresses in ALLOW_IPS without a token only at /api/queue', async () => {
    const server = await startServer({ AUTH_TOKEN: SECRET, ALLOW_IPS: '127.0.0.1' })
    expect(await statuses(server)).toEqual([204, 201, 401, 401, 401, 401, 401, 401])
    expect(await statuses(server, { authorization: 'Bearer wrong' })).toEqual(each(401))
  })

  it('the REST adapters reject requests from pages of other origins', async () => {
    const server = await startServer()
    await server.engine.enqueue({ type: 'a', payload: 1 })
    await server.engine.enqueue({ type: 'messages', payload: 'x', kind: 'message' })
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'same-site' },
      { referer: 'https://evil.example/page' },
      { referer: 'nonsense' },
    ]) {
      expect([headers, await statuses(server, headers)]).toEqual([headers, each(403)])
    }
    expect(await server.engine.counts()).toMatchObject({ pending: 2, processing: 0, completed: 0 })
    const own = { referer: `${server.url}/page`, origin: server.url, 'sec-fetch-site': 'same-origin' }
    expect((await send(server, 'GET /v1/messages', undefined, own)).body).toHaveLength(1)
    expect((await send(server, 'GET /api/queue', undefined, { referer: `${server.url}/page` })).status).toBe(200)
  })

  it('the REST adapters reject an image request from another port of a host in ALLOWED_HOSTS', async () => {
    const server = await startServer({ ALLOWED_HOSTS: '127.0.0.1' })
    await server.engine.enqueue({ type: 'a', payload: 1 })
    const image = { referer: 'http://127.0.0.1:8080/', accept: 'image/*' }
    expect((await send(server, 'GET /api/queue', undefined, image)).status).toBe(403)
    expect(await server.engine.counts()).toMatchObject({ pending: 1, processing: 0 })
  })

  it('the REST adapters reject form posts and forwarded requests', async () => {
    const server = await startServer()
    const form = { 'content-type': 'text/plain' }
    for (const [request, body] of REQUESTS) {
      if (body) expect((await send(server, request, body, form)).status).toBe(415)
    }
    const proxied = await send(server, 'GET /api/queue', undefined, { 'x-forwarded-for': '203.0.113.9' })
    expect([proxied.status, proxied.body]).toEqual([403, { error: expect.stringContaining('proxy') }])
    expect(await server.engine.counts()).toMatchObject({ pending: 0 })
  })

  it('the REST adapters require the scope of the verb they call', async () => {
    const server = await startServer()
    const { engine } = server
    const tokens = new Map<Scope, string>()
    for (const scope of ['produce', 'work', 'read', 'admin'] as const) {
      tokens.set(scope, (await engine.createToken({ name: scope, scopes: [scope] })).token)
    }
    const as = (scope: Scope) => ({ authorization: `Bearer ${tokens.get(scope)}` })
    const open = async (scope: Scope, request: string, body?: unknown) => {
      const { status, body: response } = await send(server, request, body, as(scope))
      return status === 403 ? (response as { error: string }).error : status
    }
    const missing = (procedure: string, scope: Scope) => `${procedure} needs a token with the scope ${scope}.`
    expect(await open('produce', 'POST /api/queue', { type: 'a', data: 1 })).toBe(201)
    expect(await open('produce', 'POST /v1/messages', { body: 'x' })).toBe(201)
    expect(await open('produce', 'POST /api/tasks', { type: 'b', payload: 1 })).toBe(201)
    expect(await open('produce', 'GET /api/queue')).toBe(missing('claim', 'work'))
    expect(await open('work', 'POST /api/queue', { type: 'a', data: 1 })).toBe(missing('enqueue', 'produce'))
    expect(await open('read', 'GET /v1/messages')).toBe(missing('claim', 'work'))
    // The work scope is enough to claim and settle.
    const claimed = (await send(server, 'GET /api/queue', undefined, as('work'))).body as { id: string }
    expect(await open('read', `PUT /api/queue/${claimed.id}`, { status: 'completed' })).toBe(missing('holders', 'work'))
    expect(await open('work', `PUT /api/queue/${claimed.id}`, { status: 'completed' })).toBe(200)
    const messages = (await send(server, 'GET /v1/messages?visibility_timeout=60', undefined, as('work'))).body
    expect(await outcome(server, 'POST /v1/acks', { acks: messages }, as('work'))).toEqual([
      200,
      { acked: [expect.any(Number)], stale: [] },
    ])
    expect(await open('work', 'GET /v1/stats')).toBe(missing('stats', 'read'))
    expect(await open('read', 'GET /v1/stats')).toBe(200)
    const { jobs } = await engine.list({ type: 'b' })
    const task = `/api/tasks/${jobs[0]?.id}`
    expect([await open('produce', `GET ${task}`), await open('read', `GET ${task}`)]).toEqual([
      missing('get', 'read'),
      200,
    ])
    expect([await open('read', `POST ${task}/cancel`), await open('admin', `POST ${task}/cancel`)]).toEqual([
      missing('cancel', 'admin'),
      200,
    ])
    expect([await open('produce', `DELETE ${task}`), await open('admin', `DELETE ${task}`)]).toEqual([
      missing('remove', 'admin'),
      200,
    ])
    const trail = await engine.auditTrail()
    expect(trail.filter(({ action }) => /cancel|remove/.test(action)).map(({ actor }) => actor)).toEqual([
      'token:admin',
      'token:admin',
    ])
  })
})
