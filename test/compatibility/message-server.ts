/** Contract lines of the message server: ordered messages, archived when read, with a token. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { DAY } from '../../shared/limits.ts'
import { send } from '../rest/send.ts'
import type { TestServer } from '../support/server.ts'
import { differs, kept, type Line } from './line.ts'

export const TOKEN = 'of-the-document-and-long-enough'
export const MESSAGE_SETTINGS = { AUTH_TOKEN: TOKEN, GET_LIMIT_MAX: '1000' }

interface Message {
  readonly id: number
  readonly timestamp: string
  readonly body: string
  readonly version?: number
}

export function messageLines(server: TestServer): readonly Line[] {
  const auth = { authorization: `Bearer ${TOKEN}` }
  const call = (request: string, body?: unknown) => send(server, request, body, auth)
  const post = async (body: string, more: object = {}) =>
    (await call('POST /v1/messages', { body, ...more })).body as Message
  const take = async (query = '') => (await call(`GET /v1/messages${query}`)).body as Message[]
  const empty = async () => {
    while ((await take('?limit=100')).length > 0);
  }
  const isSqlite = server.place.dialect === 'sqlite'

  return [
    kept(4, 'everything that GET returns is archived', async () => {
      const message = await post('one')
      expect(await take()).toEqual([message])
      expect((await call('GET /v1/stats')).body).toMatchObject({ new: 0, archived: 1 })
    }),
    kept(5, 'an archived message never becomes new again', async () => expect(await take('?limit=100')).toEqual([])),
    kept(6, 'messages come by time, then by id', async () => {
      const sent = [await post('a'), await post('b'), await post('c')]
      expect(await take('?limit=3')).toEqual(sent)
    }),
    differs(7, 'Go, net/http and Bun', 'stack'),
    kept(10, 'delivery is at most once', 'test/rest/messages-property.test.ts'),
    kept(15, 'all endpoints need the token', async () => {
      for (const request of ['GET /v1/messages', 'GET /v1/stats', 'GET /api/tasks']) {
        expect((await send(server, request)).status).toBe(401)
      }
      expect((await send(server, 'POST /v1/messages', { body: 'x' })).status).toBe(401)
    }),
    kept(18, 'a POST has a body, which is text', async () => {
      expect((await call('POST /v1/messages', { body: 7 })).status).toBe(400)
      expect((await call('POST /v1/messages', {})).status).toBe(400)
    }),
    kept(19, 'a POST is 201 with id, timestamp and body', async () => {
      const { status, body } = await call('POST /v1/messages', { body: 'hello' })
      expect([status, body]).toEqual([201, { id: expect.any(Number), timestamp: expect.any(String), body: 'hello' }])
      await empty()
    }),
    kept(21, 'GET has a limit', async () => {
      for (const body of ['1', '2', '3']) await post(body)
      expect((await take('?limit=2')).map(({ body }) => body)).toEqual(['1', '2'])
      await empty()
    }),
    kept(22, 'GET returns them sorted', async () => {
      for (let n = 0; n < 5; n++) await post(`${n}`)
      const ids = (await take('?limit=5')).map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    }),
    kept(23, 'the response is an array of id, timestamp and body', async () => {
      await post('shown')
      expect((await take()).map((message) => Object.keys(message))).toEqual([['id', 'timestamp', 'body']])
      expect(await take()).toEqual([])
    }),
    kept(24, 'the default limit is 1', async () => {
      await post('1')
      await post('2')
      expect(await take()).toHaveLength(1)
      await empty()
    }),
    kept(26, 'GET /health is 200 while the database can be read', async () =>
      expect((await call('GET /health')).status).toBe(200),
    ),
    kept(31, 'a lost response loses its messages', async () => {
      await post('lost')
      await take()
      expect(await take()).toEqual([])
    }),
    differs(39, 'a table messages of five columns', 'tables'),
    kept(40, 'ids are numbers that rise', async () => {
      const [first, second] = [await post('x'), await post('y')]
      expect(second.id).toBeGreaterThan(first.id)
      await empty()
    }),
    kept(42, 'a state is new or archived', async () => {
      await post('counted')
      const { body } = await call('GET /v1/stats')
      expect(body).toMatchObject({ new: 1 })
      await empty()
    }),
    differs(47, 'an index of this name', 'tables'),
    kept(51, 'a timestamp is ISO 8601 in UTC', async () => {
      const { timestamp } = await post('when')
      expect(new Date(timestamp).toISOString()).toBe(timestamp)
      await empty()
    }),
    kept(55, 'one transaction takes them', async () => {
      for (let n = 0; n < 40; n++) await post(`${n}`)
      const both = (await Promise.all([take('?limit=30'), take('?limit=30')])).flat().map(({ id }) => id)
      expect([both.length, new Set(both).size]).toEqual([40, 40])
    }),
    differs(66, 'whatever the limit', 'message-pages', 'test/rest/messages.test.ts'),
    kept(78, 'migrations run at the start', async () => expect((await call('GET /ready')).status).not.toBe(404)),
    kept(83, 'state and times of archiving are not shown', async () => {
      expect(Object.keys(await post('plain'))).toEqual(['id', 'timestamp', 'body'])
      await empty()
    }),
    kept(138, 'another method is 405', async () => {
      for (const method of ['PUT', 'DELETE', 'PATCH']) expect((await call(`${method} /v1/messages`)).status).toBe(405)
    }),
    differs(146, 'the server listens on :8080', 'port', () => {
      expect(readServerConfig({}).port).toBe(3000)
      expect(readServerConfig({ LISTEN_ADDR: ':8080', AUTH_TOKEN: TOKEN }).port).toBe(8080)
    }),
    differs(147, 'the file is ./queue.db', 'file', () =>
      expect(readConfig({ DB_PATH: './queue.db' }).url).toBe('sqlite:./queue.db'),
    ),
    differs(148, 'AUTH_TOKEN is required', 'access', () => {
      expect([readServerConfig({}).authToken, readServerConfig({}).host]).toEqual([null, '127.0.0.1'])
    }),
    kept(149, 'GET_LIMIT_DEFAULT is 1', () => expect(readServerConfig({}).getLimitDefault).toBe(1)),
    differs(153, 'the token is needed for all endpoints', 'health', async () =>
      expect((await send(server, 'GET /health')).status).toBe(200),
    ),
    kept(154, 'CORS is off', async () => {
      const { headers } = await call('GET /v1/stats')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }),
    kept(155, 'TLS ends at a proxy or here', 'test/security/cors-tls.test.ts'),
    differs(159, 'logs are JSON with request id, method, path, duration, status and rows', 'log-names', async () => {
      await call('GET /v1/stats')
      expect(server.logged.findLast(({ msg }) => msg === 'request')).toMatchObject({
        requestId: expect.any(String),
        method: 'GET',
        path: '/v1/stats',
        ms: expect.any(Number),
        status: 200,
        rows: expect.any(Number),
      })
    }),
    kept(163, 'the file can be copied while the server runs', 'test/backup/backup.test.ts'),
    kept(168, 'tests of the default limit and the order', 'test/rest/messages.test.ts'),
    kept(169, 'a test of a large backlog', 'test/rest/messages.test.ts'),
    kept(170, 'a property test: order, and nothing twice', 'test/rest/messages-property.test.ts'),
    kept(174, 'acks: visibility_timeout, claimed, POST /v1/acks', async () => {
      const { id } = await post('acked')
      const [message] = await take('?visibility_timeout=60')
      expect([message?.id, (await call('GET /v1/stats')).body]).toEqual([id, expect.objectContaining({ claimed: 1 })])
      const acks = [{ id, version: message?.version }]
      expect((await call('POST /v1/acks', { acks })).body).toEqual({ acked: [id], stale: [] })
    }),
    kept(175, 'topics', async () => {
      const message = await post('news', { topic: 'news' })
      expect([await take(), await take('?topic=news')]).toEqual([[], [message]])
    }),
    differs(176, 'archived messages are removed by cron', 'maintenance', () =>
      expect(readConfig({}).defaults.retentionMs).toBe(30 * DAY),
    ),
    differs(181, 'files of a Go project', 'stack'),
    kept(191, 'calls by curl in this form work', 'test/rest/documents.test.ts'),
    kept(204, 'journal_mode is WAL', async () => {
      if (isSqlite) expect(await server.place.sql('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    }),
    differs(204, 'synchronous is NORMAL', 'durability', () => expect(readConfig({}).durability).toBe('full')),
    kept(205, 'writers use BEGIN IMMEDIATE', 'test/store/sqlite/conformance.test.ts'),
    kept(209, 'GET /metrics is Prometheus text', async () => {
      const response = await fetch(`${server.url}/metrics`, { headers: auth })
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('# TYPE')])
    }),
    kept(210, 'GET /v1/stats', async () => expect((await call('GET /v1/stats')).status).toBe(200)),
    kept(211, 'limits can be raised, up to a configured one', () => {
      expect(readServerConfig({ GET_LIMIT_MAX: '1000' }).getLimitMax).toBe(1_000)
      expect(readServerConfig({}).getLimitMax).toBe(100)
    }),
    kept(212, 'a repeated dedupe_key stores nothing new', async () => {
      const first = await post('once', { dedupe_key: 'k' })
      expect(await post('twice', { dedupe_key: 'k' })).toEqual(first)
    }),
    kept(213, 'there are benchmarks', () => expect(existsSync('bench/README.md')).toBe(true)),
  ]
}
