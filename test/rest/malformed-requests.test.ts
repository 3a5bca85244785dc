/** Malformed requests to the REST adapters get a 4xx response, and nothing is stored. */
import { expect, it, vi } from 'vitest'
import { describeRest, outcome, type RestResult, send } from './send.ts'

vi.setConfig({ testTimeout: 60_000 })

const UNKNOWN = '018f6f0e-0000-7000-8000-00000000dead'
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

/** Requests with a body, and how a value is put into the field that holds the client's own JSON or text. */
const BODIES: Readonly<Record<string, (value: string) => string>> = {
  'POST /api/queue': (value) => `{"type":"a","data":${value}}`,
  [`PUT /api/queue/${UNKNOWN}`]: (value) => `{"status":"completed","result":${value}}`,
  'POST /v1/messages': (value) => `{"body":${value}}`,
  'POST /v1/acks': (value) => `{"acks":${value}}`,
  'POST /api/tasks': (value) => `{"type":"a","payload":${value}}`,
  'POST /api/tasks/rate-limit': (value) => `{"rps":${value}}`,
}

const WHOLE = [
  ...['', ' ', '{', '{"type":', 'nul', 'null', 'true', '7', '-1e400', '"text"', '[]', '[{}]', '{}', '{"a":1}'],
  ...['{"__proto__":{"type":"a","data":1,"body":"x","acks":[],"payload":1,"rps":1,"status":"completed"}}'],
  ...['{"constructor":{"prototype":{"type":"a"}}}', deep(10_000), '\ufeff{}', '{"type":"a","data":1}{}'],
  ...['{"type":["a"],"data":1,"payload":1,"body":["a"],"acks":{"0":1},"rps":[1],"status":["completed"]}'],
  ...['{"type":{"toString":1},"data":1,"payload":1,"body":{},"acks":"x","rps":{},"status":{}}'],
  ...['{"type":"\\u0000","data":1,"payload":1,"body":"\\u0000","status":"completed","version":1e999}'],
  ...['{"type":"\\ud800","data":1,"payload":1,"body":"\\udc00","topic":"\\ud800","status":"\\u0000"}'],
  ...['{"type":"a","payload":1,"run_after":1e999}', '{"type":"a","payload":1,"run_after":-9007199254740993}'],
  ...['{"body":"x","topic":""}', '{"body":"x","dedupe_key":""}', '{"body":"x","dedupe_key":"\\u0000"}'],
  ...['{"acks":[{"id":1e999,"version":1}]}', '{"acks":[{"id":-1,"version":-1}]}', '{"acks":[[1,1]]}'],
]

/** Invalid values in an otherwise valid request. */
const VALUES = [
  '"\\u0000"',
  '"\\ud800"',
  '{"\\u0000":1}',
  deep(10_000),
  `"${'x'.repeat(2 * 1_048_576)}"`,
  `"${'ä'.repeat(1_048_570)}"`,
]

const ADDRESSES = [
  ...['/api/queue?type=%00', '/api/queue?type=a%0Ab', `/api/queue?type=${'x'.repeat(5_000)}`],
  ...['/api/queue/%zz', '/api/queue/%c0%80', '/api/queue/../queue/x', '/api//queue/x', '/api/%71ueue/x/y'],
  ...[
    '/v1/messages?limit=99999999999999999999',
    '/v1/messages?limit=-0',
    '/v1/messages?limit=%31%00',
    '/v1/messages?limit=NaN',
  ],
  ...['/v1/messages?topic=%ed%a0%80%00', '/v1/messages?topic=', '/v1/messages?visibility_timeout=1e3'],
  ...['/v1/messages?visibility_timeout=1&visibility_timeout=1', '/v1/%zz', '/v1/messages/%00'],
  ...[
    '/api/tasks?limit=9007199254740993',
    '/api/tasks?offset=10001',
    '/api/tasks?status=to-do,nothing',
    '/api/tasks?type=%00',
  ],
  ...[
    '/api/tasks/%zz',
    '/api/tasks/%00/x',
    `/api/tasks/${'x'.repeat(5_000)}`,
    '/api/tasks/__proto__',
    '/api/tasks/constructor',
  ],
]

const isClientError = ({ status, body }: RestResult) =>
  status >= 400 && status < 500 && typeof (body as { error?: unknown } | undefined)?.error === 'string'

describeRest('the REST adapters', (startServer) => {
  it('the REST adapters reject malformed requests with 4xx and store nothing', async () => {
    const server = await startServer()
    const unexpected: unknown[] = []
    const expectClientError = async (request: string, body?: string) => {
      const result = await send(server, request, body)
      if (!isClientError(result)) unexpected.push([request, body?.slice(0, 100), result.status, result.body])
    }
    for (const [request, wrap] of Object.entries(BODIES)) {
      for (const body of WHOLE) await expectClientError(request, body)
      for (const value of VALUES) await expectClientError(request, wrap(value))
    }
    for (const address of ADDRESSES) {
      for (const method of address.includes('?') ? ['GET'] : ['GET', 'POST', 'PUT', 'DELETE']) {
        await expectClientError(`${method} ${address}`, method === 'GET' || method === 'DELETE' ? undefined : '{}')
      }
    }
    expect(unexpected).toEqual([])
    const { engine } = server
    expect([(await engine.list()).jobs, await engine.types(), await engine.settings()]).toEqual([[], [], {}])
    expect(server.logged.filter(({ level }) => level === 'error' || Number(level) >= 50)).toEqual([])
  })

  it('the REST adapters keep keys such as __proto__ unchanged', async () => {
    const server = await startServer()
    const text = '{"__proto__":{"a":1},"constructor":2,"toString":null}'
    await send(server, 'POST /api/queue', `{"type":"__proto__","data":${text}}`)
    const claimed = await fetch(`${server.url}/api/queue?type=__proto__`)
    expect(await claimed.text()).toContain(`"data":${text}`)
    expect((await send(server, 'GET /api/tasks/stats')).body).toHaveProperty(['byType'])
    const stats = await (await fetch(`${server.url}/api/tasks/stats`)).text()
    expect(stats).toContain('"byType":{"__proto__":{"to-do":0,"in-progress":1')
  })
})

describeRest('an internal error', (startServer) => {
  it('an internal error responds with 500 without its cause, which is logged once', async () => {
    const server = await startServer({}, { spoilt: true })
    const failed = [500, { error: 'The server failed to process this request; see its log for the reason.' }]
    await send(server, 'POST /api/queue', { type: 'a', data: 1 })
    await send(server, 'POST /v1/messages', { body: 'x' })
    await server.place.refuseUpdates('millrace_jobs', 'column secret_column')
    expect([await outcome(server, 'GET /api/queue'), await outcome(server, 'GET /v1/messages')]).toEqual([
      failed,
      failed,
    ])
    Object.assign(server.engine.parsed, { list: () => Promise.reject('no error at all') })
    expect(await outcome(server, 'GET /api/tasks')).toEqual(failed)
    const lines = server.logged.filter(({ msg }) => msg === 'a request failed')
    expect(lines.map((line) => JSON.stringify(line).includes('secret_column'))).toEqual([true, true, false])
  })
})
