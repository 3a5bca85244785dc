/** REST adapter of /v1: messages in order, archived when read or acknowledged. */
import { expect, it } from 'vitest'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { messagesAdapter } from '../../server/http/rest/messages.ts'
import { describeEngine, started } from '../support/engine.ts'
import type { TestServer } from '../support/server.ts'
import { bodyOf, describeRest, outcome, restRequest, send, verbsOf } from './send.ts'

interface Message {
  readonly id: number
  readonly timestamp: string
  readonly body: string
  readonly version?: number
}

async function post(server: TestServer, body: string, more: Readonly<Record<string, unknown>> = {}): Promise<Message> {
  const { status, body: message } = await send(server, 'POST /v1/messages', { body, ...more })
  expect([status, Object.keys(message as Message)]).toEqual([201, ['id', 'timestamp', 'body']])
  return message as Message
}

const get = (server: TestServer, query = '') => outcome(server, `GET /v1/messages${query}`)
const stats = async (server: TestServer) => (await send(server, 'GET /v1/stats')).body

describeRest('/v1/messages', (startServer) => {
  it('/v1/messages returns each message once, in order, one per request by default', async () => {
    const server = await startServer()
    const texts = ['first', '', 'third\n', '日本 🐎', 'fifth']
    const messages: Message[] = []
    for (const text of texts) messages.push(await post(server, text))
    expect(messages.map(({ body }) => body)).toEqual(texts)
    expect(messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id).toSorted((a, b) => a - b))
    const { createdAt } = (await server.engine.list({ sort: 'oldest' })).jobs[0] ?? { createdAt: 0 }
    expect(messages[0]?.timestamp).toBe(new Date(createdAt).toISOString())
    expect(await get(server)).toEqual([200, messages.slice(0, 1)])
    expect(await get(server, '?limit=3')).toEqual([200, messages.slice(1, 4)])
    expect(await get(server, '?limit=100')).toEqual([200, messages.slice(4)])
    expect(await get(server)).toEqual([200, []])
    expect(await server.engine.counts()).toMatchObject({ completed: 5, pending: 0 })
  })

  it('/v1/messages separates topics and returns no jobs', async () => {
    const server = await startServer()
    const [plain, news] = [await post(server, 'plain'), await post(server, 'news', { topic: 'news' })]
    await server.engine.enqueue({ type: 'mail', payload: {} })
    expect(await get(server, '?topic=mail&limit=9')).toEqual([200, []])
    expect(await get(server, '?topic=unknown')).toEqual([200, []])
    expect(await get(server, '?topic=news&limit=9')).toEqual([200, [news]])
    expect(await get(server, '?topic=messages&limit=9')).toEqual([200, [plain]])
    expect(await outcome(server, 'POST /v1/messages', { body: 'x', topic: 'mail' })).toEqual([
      409,
      { error: 'Type mail holds jobs, not messages; choose another name.' },
    ])
    expect(await server.engine.counts()).toMatchObject({ pending: 1, completed: 2 })
  })

  it('/v1/messages keeps a topic that looks like a field name unchanged in error messages', async () => {
    const server = await startServer()
    const topic = 'a; type: payload must stay'
    await server.engine.enqueue({ type: topic, payload: {} })
    expect(await outcome(server, 'POST /v1/messages', { body: 'x', topic })).toEqual([
      409,
      { error: `Type ${topic} holds jobs, not messages; choose another name.` },
    ])
  })

  it('/v1/messages returns the existing message for a repeated dedupe_key', async () => {
    const server = await startServer()
    const first = await post(server, 'once', { dedupe_key: 'k' })
    expect(await outcome(server, 'POST /v1/messages', { body: 'twice', dedupe_key: 'k' })).toEqual([200, first])
    const other = await post(server, 'elsewhere', { dedupe_key: 'k', topic: 'news' })
    expect(await get(server, '?limit=9')).toEqual([200, [first]])
    expect(await outcome(server, 'POST /v1/messages', { body: 'late', dedupe_key: 'k' })).toEqual([200, first])
    expect(await get(server, '?limit=9')).toEqual([200, []])
    expect(await get(server, '?topic=news')).toEqual([200, [other]])
  })

  it('/v1/messages archives acknowledged messages when read with a visibility timeout', async () => {
    const server = await startServer()
    const [a, b, c] = [await post(server, 'a'), await post(server, 'b'), await post(server, 'c')]
    const [, taken] = await get(server, '?limit=2&visibility_timeout=60')
    expect(taken).toEqual([a, b].map((message) => ({ ...message, version: 1 })))
    expect(await stats(server)).toMatchObject({ new: 1, claimed: 2, archived: 0 })
    const ack = (...acks: object[]) => outcome(server, 'POST /v1/acks', { acks })
    const one = { id: a.id, version: 1 }
    expect(await ack(one, { id: b.id, version: 2 }, { id: c.id, version: 1 }, { id: 999_999, version: 1 })).toEqual([
      200,
      { acked: [a.id], stale: [b.id, c.id, 999_999] },
    ])
    expect(await ack(one, one)).toEqual([200, { acked: [a.id], stale: [] }])
    expect(await ack()).toEqual([200, { acked: [], stale: [] }])
    expect(await stats(server)).toMatchObject({ new: 1, claimed: 1, archived: 1 })
    // A message that another worker holds cannot be acknowledged here.
    const [held] = await server.engine.claim({ worker: 'other', types: ['messages'] })
    expect(await ack({ id: c.id, version: held?.version })).toEqual([200, { acked: [], stale: [c.id] }])
  })

  it('/v1/messages counts messages by state and topic', async () => {
    const server = await startServer()
    await server.engine.enqueue({ type: 'mail', payload: {} })
    expect(await stats(server)).toEqual({ new: 0, claimed: 0, archived: 0, topics: {} })
    for (const topic of ['__proto__', 'news', 'news']) await post(server, 'x', { topic })
    await get(server, '?topic=news')
    expect(JSON.stringify(await stats(server))).toBe(
      '{"new":2,"claimed":0,"archived":1,"topics":{"__proto__":{"new":1,"claimed":0,"archived":0},' +
        '"news":{"new":1,"claimed":0,"archived":1}}}',
    )
  })

  it('/v1/messages applies GET_LIMIT_DEFAULT and GET_LIMIT_MAX', async () => {
    const server = await startServer({ GET_LIMIT_DEFAULT: '2', GET_LIMIT_MAX: '3' })
    for (let n = 0; n < 6; n++) await post(server, `${n}`)
    const texts = async (query: string) => ((await get(server, query))[1] as Message[]).map(({ body }) => body)
    expect(await texts('')).toEqual(['0', '1'])
    expect(await texts('?limit=3')).toEqual(['2', '3', '4'])
    expect(await get(server, '?limit=4')).toEqual([400, { error: 'limit must be a whole number from 1 to 3.' }])
    expect(() => readServerConfig({ GET_LIMIT_DEFAULT: '5', GET_LIMIT_MAX: '4' })).toThrow(
      'GET_LIMIT_DEFAULT is above GET_LIMIT_MAX',
    )
  })

  it('/v1/messages returns a large backlog once, in order, also above the limit of one claim', async () => {
    const server = await startServer({ GET_LIMIT_MAX: '1000' })
    const count = 2_350
    const jobs = Array.from({ length: count }, (_, n) => ({
      type: 'messages',
      payload: `${n}`,
      kind: 'message' as const,
    }))
    for (let from = 0; from < count; from += 1_000) {
      await server.engine.enqueueMany({ jobs: jobs.slice(from, from + 1_000) })
    }
    const bodies: string[] = []
    const ids: number[] = []
    for (const limit of [1, 99, 100, 101, 250, 1_000, 799, 1]) {
      const [status, page] = (await get(server, `?limit=${limit}`)) as [number, Message[]]
      expect([status, page.length]).toEqual([
        200,
        limit === 1 && bodies.length === count ? 0 : Math.min(limit, count - bodies.length),
      ])
      bodies.push(...page.map(({ body }) => body))
      ids.push(...page.map(({ id }) => id))
    }
    expect(bodies).toEqual(jobs.map(({ payload }) => payload))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(await get(server, '')).toEqual([200, []])
    expect(await get(server, '?limit=1001')).toEqual([400, { error: 'limit must be a whole number from 1 to 1000.' }])
    expect(await stats(server)).toMatchObject({ new: 0, archived: count })
  })

  it('/v1/messages rejects invalid requests and stores nothing', async () => {
    const server = await startServer({ MAX_PAYLOAD_BYTES: '20' })
    const failure = (error: string, status = 400) => [status, { error }]
    const object = failure('Request body must be an object; send one like {"body": "hello"}.')
    const acks = failure('acks must be an array of at most 100, each with the id and the version of a message.')
    const ack = failure('acks[0] must have the id and the version that came with the message, both numbers.')
    const cases: readonly [request: string, body: unknown, expected: unknown][] = [
      ['POST /v1/messages', '', failure('Invalid JSON')],
      ['POST /v1/messages', '{"body"', failure('Invalid JSON')],
      ['POST /v1/messages', '[]', object],
      ['POST /v1/messages', 'null', object],
      ['POST /v1/messages', {}, failure('body must be a string.')],
      ['POST /v1/messages', { body: 7 }, failure('body must be a string.')],
      ['POST /v1/messages', { body: 'x', topic: 7 }, failure('topic must be a string.')],
      ['POST /v1/messages', { body: 'x', dedupe_key: [] }, failure('dedupe_key must be a string.')],
      [
        'POST /v1/messages',
        { body: 'x'.repeat(19) },
        failure('body is 21 bytes, more than 20; store it elsewhere and send a reference.', 413),
      ],
      [
        'POST /v1/messages',
        '{"body":"\\u0000"}',
        failure('body contains a NUL or a lone surrogate; remove it, no database could store it.'),
      ],
      ['GET /v1/messages?limit=0', undefined, failure('limit must be a whole number from 1 to 100.')],
      ['GET /v1/messages?limit=-1', undefined, failure('limit must be a whole number from 1 to 100.')],
      ['GET /v1/messages?limit=1e1', undefined, failure('limit must be a whole number from 1 to 100.')],
      ['GET /v1/messages?limit=', undefined, failure('limit must be a whole number from 1 to 100.')],
      ['GET /v1/messages?limit=1&limit=1', undefined, failure('limit is there 2 times; send it once.')],
      ['GET /v1/messages?topic=a&topic=b', undefined, failure('topic is there 2 times; send it once.')],
      [
        'GET /v1/messages?visibility_timeout=0',
        undefined,
        failure('visibility_timeout must be a whole number from 1 to 86400.'),
      ],
      ['POST /v1/acks', {}, acks],
      ['POST /v1/acks', { acks: Array(101).fill({ id: 1, version: 1 }) }, acks],
      ['POST /v1/acks', { acks: [{ id: '1', version: 1 }] }, ack],
      ['POST /v1/acks', { acks: [null] }, ack],
      ['POST /v1/acks', { acks: [{ id: 0, version: 1 }] }, ack],
    ]
    for (const [request, body, expected] of cases) {
      expect([request, body, await outcome(server, request, body)]).toEqual([request, body, expected])
    }
    for (const topic of ['', 'a\nb', 'x'.repeat(256)]) {
      const { status, body } = await send(server, 'POST /v1/messages', { body: 'x', topic })
      expect([status, body]).toEqual([400, { error: expect.stringMatching(/^topic: /) }])
      const got = await send(server, `GET /v1/messages?topic=${encodeURIComponent(topic)}`)
      expect([got.status, got.body]).toEqual([400, { error: expect.stringMatching(/^topic: /) }])
    }
    expect([(await server.engine.list()).jobs, await server.engine.types()]).toEqual([[], []])
  })

  it('/v1/messages lists its methods in Allow, and reads nothing by HEAD', async () => {
    const server = await startServer()
    await post(server, 'x')
    const allowed: Record<string, unknown> = {}
    for (const request of ['PUT /v1/messages', 'DELETE /v1/messages', 'GET /v1/acks', 'POST /v1/stats']) {
      const { status, headers } = await send(server, request)
      allowed[request] = [status, headers.get('allow')]
    }
    expect(allowed).toEqual({
      'PUT /v1/messages': [405, 'GET, POST'],
      'DELETE /v1/messages': [405, 'GET, POST'],
      'GET /v1/acks': [405, 'POST'],
      'POST /v1/stats': [405, 'GET'],
    })
    expect((await send(server, 'HEAD /v1/messages')).status).toBe(405)
    expect((await send(server, 'GET /v1/messages/1')).status).toBe(404)
    expect((await send(server, 'GET /v1')).status).toBe(404)
    expect(await stats(server)).toMatchObject({ new: 1, archived: 0 })
  })
})

const BOUNDS = { getLimitDefault: 1, getLimitMax: 100 }

describeEngine('an unacknowledged message', (open) => {
  it('an unacknowledged message is returned again after each timeout, in its old position', async () => {
    const { engine, clock } = await started(open())
    const call = (request: string, body?: unknown) =>
      messagesAdapter(verbsOf(engine), restRequest(request, body), BOUNDS)
    const posted: Message[] = []
    for (const body of ['a', 'b']) posted.push(await bodyOf<Message>(call('POST /messages', { body })))
    const take = () => bodyOf<Message[]>(call('GET /messages?visibility_timeout=5'))
    for (let version = 1; version <= 6; version++) {
      expect(await take()).toEqual([{ ...posted[0], version }])
      await clock.advance(4_999)
      await clock.advance(1)
    }
    await call('POST /messages', { body: 'c' })
    const [message] = await take()
    expect(message).toEqual({ ...posted[0], version: 7 })
    const ack = (version: number) => bodyOf(call('POST /acks', { acks: [{ id: message?.id, version }] }))
    expect(await ack(6)).toEqual({ acked: [], stale: [message?.id] })
    expect(await ack(7)).toEqual({ acked: [message?.id], stale: [] })
    expect((await bodyOf<Message[]>(call('GET /messages?limit=9'))).map(({ body }) => body)).toEqual(['b', 'c'])
  })
})
