/** The direct handler of tRPC calls responds exactly as the Express handlers: status, headers, body, log and metrics. */
import { Agent, request as httpRequest } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { PROCEDURES } from '../api/support/table.ts'
import { describeApi, MISSING, type World } from '../api/support/world.ts'
import { until } from '../support/engine.ts'
import { DATABASES } from '../support/places.ts'
import type { TestServer } from '../support/server.ts'

interface Sent {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const JSON_TYPE = { 'content-type': 'application/json' }
const post = (path: string, input: unknown, headers = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...JSON_TYPE, ...headers },
  ...(input === undefined ? {} : { body: typeof input === 'string' ? input : JSON.stringify(input) }),
})
const get = (path: string, input?: unknown, headers = {}): Sent => ({
  method: 'GET',
  path:
    input === undefined
      ? path
      : `${path}${path.includes('?') ? '&' : '?'}input=${encodeURIComponent(JSON.stringify(input))}`,
  headers,
})

/** A minute may end between the calls to the two servers. */
const TIME_SERIES = new Set(['history', 'depths'])

/** Every procedure with a valid input, a bad one and one with a missing target. */
function callsOfTable(world: World): Sent[] {
  return Object.entries(PROCEDURES).flatMap(([name, row]) => {
    // An event stream does not end.
    if (row.kind === 'subscription' || TIME_SERIES.has(name)) return []
    const inputs = [row.bad?.[0], row.missing, row.input?.(world)]
    return inputs.map((input) => (row.kind === 'query' ? get(name, input) : post(name, input)))
  })
}

/** Batches, malformed requests, other methods and headers. */
function oddRequests({ waiting, held }: World): Sent[] {
  const job = { type: 'mail', payload: 1 }
  return [
    post('enqueue,enqueue?batch=1', { 0: job, 1: { type: '' } }),
    post('enqueue,enqueue?batch=1', [job, job]),
    post('enqueue,enqueue?batch=1', 'null'),
    post('enqueue?batch=1', { 0: job }),
    post('enqueue?batch=0', job),
    post('enqueue,enqueue', job),
    post('enqueue,get?batch=1', { 0: job, 1: { id: waiting } }),
    post('enqueue,nothing?batch=1', { 0: job }),
    post('claim,claim?batch=1', { 0: { worker: 'w', waitMs: 60_000 }, 1: { worker: 'w', waitMs: 60_000 } }),
    post(
      Array.from({ length: 101 }, () => 'facts')
        .join(',')
        .concat('?batch=1'),
      {},
    ),
    get('get,get?batch=1', { 0: { id: waiting }, 1: { id: MISSING } }),
    get('get,get?batch=1', { 0: { id: waiting }, 1: { id: held.id } }),
    get('types.list,stats?batch=1', {}),
    get('types.list,stats?batch=1'),
    get('get?input={'),
    get('get?input='),
    get('get?input=%7B%22id%22%3A1%7D&input=2'),
    get('get?connectionParams=%7B'),
    get('enqueue', job),
    get('nothing', {}),
    get('types', {}),
    get('get', { id: waiting }, { accept: 'text/html' }),
    get('get', { id: waiting }, { accept: 'application/jsonl' }),
    get('get', { id: waiting }, { 'content-type': 'text/plain' }),
    get('get,get?batch=1', { 0: { id: waiting }, 1: { id: held.id } }, { 'trpc-accept': 'application/jsonl' }),
    get('get', { id: waiting }, { origin: 'https://elsewhere.example' }),
    get('get', { id: waiting }, { origin: 'https://app.example' }),
    get('get', { id: waiting }, { 'sec-fetch-site': 'cross-site' }),
    get('get', { id: waiting }, { host: 'elsewhere.example' }),
    get('get', { id: waiting }, { 'x-forwarded-for': '10.0.0.1' }),
    get('%67et', { id: waiting }),
    get('ge%2Ft', { id: waiting }),
    post('get', { id: waiting }),
    post('enqueue', '{"type":"mail","payload":'),
    post('enqueue', '{"type":"mail","payload":12345678901234567890}'),
    post('enqueue', '﻿{"type":"mail","payload":1}'),
    post('enqueue', undefined),
    post('settings.pause', undefined),
    post('settings.resume', {}),
    post('enqueue', { ...job, payload: 'x'.repeat(3_000) }),
    post('enqueue', job, { 'content-type': 'text/plain' }),
    post('enqueue', job, { 'content-type': 'application/json; charset=utf-8' }),
    post('enqueue', job, { 'content-encoding': 'gzip' }),
    post('enqueue', job, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
    post('enqueue', job, { authorization: 'Bearer wrong' }),
    { method: 'HEAD', path: 'get' },
    { method: 'PUT', path: 'enqueue', headers: JSON_TYPE, body: JSON.stringify(job) },
    {
      method: 'OPTIONS',
      path: 'enqueue',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    },
  ]
}

/** Every procedure without a token, with a wrong one, with one of another scope, and with one of another type prefix. */
async function callsWithTokens(world: World): Promise<Sent[]> {
  const { engine } = world.server
  const one = await engine.createToken({ name: 'producer', scopes: ['produce'] })
  const other = await engine.createToken({
    name: 'other',
    scopes: ['produce', 'work', 'read', 'admin'],
    typePrefix: 'other.',
  })
  engine.keyring.changed()
  const headers = [{}, { authorization: 'Bearer wrong' }, ...[one, other].map(bearer), { authorization: 'Bearer root' }]
  return headers.flatMap((some) =>
    callsOfTable(world).map((call) => ({ ...call, headers: { ...call.headers, ...some } })),
  )
}

const bearer = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` })

interface Received {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

function send({ url }: TestServer, { method, path, headers = {}, body }: Sent, agent: Agent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const all = { 'x-request-id': 'the-same', ...headers }
    const sent = httpRequest(`${url}/trpc/${path}`, { method, agent, headers: all }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: plain(response.headers), body: plainText(text) }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The direct handler knows the length of a body, the adapter of tRPC sends it in chunks. */
function plain({
  date: _,
  'content-length': __,
  'transfer-encoding': ___,
  'retry-after': seconds,
  ...headers
}: Readonly<Record<string, unknown>>) {
  return seconds === undefined ? headers : { ...headers, 'retry-after': /^\d+$/.test(String(seconds)) }
}

/** Without ids, secrets, times and durations, which differ between two servers. */
function plainText(text: string): string {
  const seen: string[] = []
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
        if (!seen.includes(id)) seen.push(id)
        return `id-${seen.indexOf(id)}`
      })
      .replace(/\bmr_[\w-]+/g, 'secret')
      .replace(/after \d+ ms/g, 'after some ms')
      .replace(/\b(?:just now|\d+ s ago)\b/g, 'a moment ago')
      // What is left of the minute in which wrong tokens are counted; the two servers are called one after the other.
      .replace(/try again in \d+ s\b/g, 'try again in some s')
      .replace(/\b\d{13}\b/g, 'time')
      // Changed types of a known worker are stored with a delay.
      .replace(/("name":"worker-1","types":)\[[^\]]*\]/g, '$1types')
      .replace(/"(p50|p95|p99|ms|location|[a-zA-Z]*Bytes|[a-zA-Z]*Ms)":("[^"]*"|[\d.]+)/g, '"$1":"varies"')
      .replace(/"oldestReadyMsByType":\{[^}]*\}/g, '"oldestReadyMsByType":"varies"')
      .replace(/nonce[-=]"?[\w+/=]+"?/g, 'nonce')
  )
}

/** The log lines and counters of the requests. */
async function traces({ url, logged }: TestServer, requests: number) {
  const lines = () => logged.filter(({ msg }) => msg === 'request')
  await until(() => lines().length >= requests)
  const metrics = await (await fetch(`${url}/metrics`, { headers: bearer({ token: 'root' }) })).text()
  return {
    lines: lines().map(({ method, path, status, rows, requestId, aborted }) => ({
      method,
      path,
      status,
      rows,
      requestId,
      aborted,
    })),
    counted: metrics.split('\n').filter((line) => line.startsWith('millrace_http_requests')),
  }
}

const SETTINGS = { MAX_BODY_BYTES: '2048', CORS_ORIGINS: 'https://app.example' }

describeApi(
  'the direct handler',
  ({ openWorld }) => {
    it.each([
      ['every procedure', callsOfTable, {}],
      ['tokens', callsWithTokens, { AUTH_TOKEN: 'root' }],
      ['batches and malformed requests', oddRequests, {}],
      [
        'batches and malformed requests below a base path, with other limits and origins',
        oddRequests,
        { ...SETTINGS, BASE_PATH: '/queue' },
      ],
    ] as const)('responds as the Express handlers: %s', async (_, requestsOf, settings) => {
      const agent = new Agent({ keepAlive: true })
      onTestFinished(() => agent.destroy())
      const worlds = [
        await openWorld({ ...settings, DIRECT_TRPC: 'on' }),
        await openWorld({ ...settings, DIRECT_TRPC: 'off' }),
      ] as const
      const received = []
      for (const world of worlds) {
        const responses: Received[] = []
        const requests = await requestsOf(world)
        for (const sent of requests) responses.push(await send(world.server, sent, agent))
        received.push({
          responses: requests.map(({ method, path }, place) => ({
            method,
            path: plainText(path),
            ...responses[place],
          })),
          ...(await traces(world.server, requests.length)),
        })
      }
      expect(received[0]).toEqual(received[1])
    })

    it('takes plain calls itself, unless it is switched off', async () => {
      const lengths = []
      for (const setting of ['on', 'off']) {
        const { server, waiting } = await openWorld({ DIRECT_TRPC: setting })
        const response = await fetch(
          `${server.url}/trpc/get?input=${encodeURIComponent(JSON.stringify({ id: waiting }))}`,
        )
        lengths.push([response.headers.has('content-length'), response.headers.get('transfer-encoding')])
      }
      // The adapter of tRPC sends chunks.
      expect(lengths).toEqual([
        [true, null],
        [false, 'chunked'],
      ])
    })
  },
  DATABASES.slice(0, 1),
)
