/** Whatever a client sends to a REST face, the fault is the client's, the answer says so, and nothing is stored. */
import { expect, it, vi } from 'vitest'
import { ask, describeRest, type Given, outcome } from './ask.ts'

vi.setConfig({ testTimeout: 60_000 })

const UNKNOWN = '018f6f0e-0000-7000-8000-00000000dead'
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

/** Where a body goes, and the field in which a producer's own JSON or text would stand. */
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

/** Of what is otherwise a good request. */
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

const isRefusal = ({ status, body }: Given) =>
  status >= 400 && status < 500 && typeof (body as { error?: unknown } | undefined)?.error === 'string'

describeRest('a client that sends anything', (startServer) => {
  it('is told that it is wrong, and leaves nothing behind', async () => {
    const server = await startServer()
    const strange: unknown[] = []
    const expectRefusal = async (request: string, body?: string) => {
      const given = await ask(server, request, body)
      if (!isRefusal(given)) strange.push([request, body?.slice(0, 100), given.status, given.body])
    }
    for (const [request, wrap] of Object.entries(BODIES)) {
      for (const body of WHOLE) await expectRefusal(request, body)
      for (const value of VALUES) await expectRefusal(request, wrap(value))
    }
    for (const address of ADDRESSES) {
      for (const method of address.includes('?') ? ['GET'] : ['GET', 'POST', 'PUT', 'DELETE']) {
        await expectRefusal(`${method} ${address}`, method === 'GET' || method === 'DELETE' ? undefined : '{}')
      }
    }
    expect(strange).toEqual([])
    const { engine } = server
    expect([(await engine.list()).jobs, await engine.types(), await engine.settings()]).toEqual([[], [], {}])
    expect(server.logged.filter(({ level }) => level === 'error' || Number(level) >= 50)).toEqual([])
  })

  it('may send keys that mean something to JavaScript, and gets them back', async () => {
    const server = await startServer()
    const text = '{"__proto__":{"a":1},"constructor":2,"toString":null}'
    await ask(server, 'POST /api/queue', `{"type":"__proto__","data":${text}}`)
    const claimed = await fetch(`${server.url}/api/queue?type=__proto__`)
    expect(await claimed.text()).toContain(`"data":${text}`)
    expect((await ask(server, 'GET /api/tasks/stats')).body).toHaveProperty(['byType'])
    const stats = await (await fetch(`${server.url}/api/tasks/stats`)).text()
    expect(stats).toContain('"byType":{"__proto__":{"to-do":0,"in-progress":1')
  })
})

describeRest('a fault of ours', (startServer) => {
  it('is told as such, without its reason, which stands in the log once', async () => {
    const server = await startServer({}, { spoilt: true })
    const failed = [500, { error: 'The server failed at this request; its log says why.' }]
    await ask(server, 'POST /api/queue', { type: 'a', data: 1 })
    await ask(server, 'POST /v1/messages', { body: 'x' })
    await server.place.refuseUpdates('millrace_jobs', 'column secret_column')
    expect([await outcome(server, 'GET /api/queue'), await outcome(server, 'GET /v1/messages')]).toEqual([
      failed,
      failed,
    ])
    server.engine.list = () => Promise.reject('no error at all')
    expect(await outcome(server, 'GET /api/tasks')).toEqual(failed)
    const lines = server.logged.filter(({ msg }) => msg === 'a request failed')
    expect(lines.map((line) => JSON.stringify(line).includes('secret_column'))).toEqual([true, true, false])
  })
})
