/** Event streams on the wire: tRPC's format, one encoding per frame, pings, slow clients. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { expect, it, onTestFinished } from 'vitest'
import type { ApiContext } from '../../server/api/context.ts'
import { EventFrames } from '../../server/api/event-frames/event-frames.ts'
import { appRouter } from '../../server/api/router.ts'
import { EventLog, type QueueEvent } from '../../server/engine/events.ts'
import { EventStreams } from '../../server/http/trpc/event-stream.ts'
import { SCOPES } from '../../shared/scopes.ts'
import { until } from '../support/engine.ts'
import { settle, TestClock } from '../support/test-clock.ts'

const COUNTS = {
  blocked: 0,
  scheduled: 1,
  pending: 2,
  processing: 3,
  retrying: 4,
  completed: 5,
  failed: 6,
  cancelled: 7,
}
/** Number of characters that a test client keeps. */
const TAIL = 200_000

/** Streams over real connections, with events and counts from the test. */
async function openStreams() {
  const clock = new TestClock()
  const reported: unknown[] = []
  const events = new EventLog(
    'epoch',
    (error) => reported.push(error),
    () => {},
  )
  const encodings = { count: 0, fail: false }
  const counts = async () => {
    if (encodings.fail) throw new Error('secret detail')
    const toJSON = () => {
      encodings.count += 1
      return COUNTS
    }
    return Object.defineProperty({ ...COUNTS }, 'toJSON', { value: toJSON })
  }
  const frames = new EventFrames({ events, counts, clock, onError: (error) => reported.push(error) })
  const streams = new EventStreams({ frames, clock, report: (error) => reported.push(error) })
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    responses.push(response)
    if (!streams.begin(request, response)) response.writeHead(418).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await until(() => frames.subscriberCount === 0)
    expect(clock.pendingTimers).toBe(0)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}/events`
  return { clock, events, frames, encodings, responses, reported, url, port: address.port }
}

const jobs = (n: number, size = 1): QueueEvent => {
  const changes = Array.from({ length: size }, (_, i) => ({
    ...{ id: `${n}-${i}`, type: 'm'.repeat(100), from: null, to: 'pending' as const },
  }))
  return { kind: 'jobs', at: n, total: size, changes }
}

async function read(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  const stream = { response, text: '' }
  void (async () => {
    for await (const part of response.body ?? [])
      stream.text = (stream.text + Buffer.from(part).toString()).slice(-TAIL)
  })().catch(() => {})
  return stream
}

it('an event stream has the bytes that tRPC itself would write', async () => {
  const { url, events, frames } = await openStreams()
  events.emit(jobs(1))
  const ours = await read(`${url}?input=${encodeURIComponent('{"lastEventId":"epoch:0"}')}`)
  await until(() => ours.text.includes('id: epoch:1'))
  const leaving = new AbortController()
  const caller = { actor: 'test', scopes: new Set(SCOPES), typePrefix: null }
  const theirs = await fetchRequestHandler({
    endpoint: '/trpc',
    router: appRouter,
    req: new Request('http://localhost/trpc/events?lastEventId=epoch:0', { signal: leaving.signal }),
    createContext: () => ({ frames, caller, tally: { rows: 0 } }) as unknown as ApiContext,
  })
  let text = ''
  for await (const part of theirs.body ?? []) {
    text += Buffer.from(part).toString()
    if (text.endsWith('id: epoch:1\n\n\n')) break
  }
  leaving.abort()
  const timeless = (stream: string) => stream.replace(/"at":\d+/g, '"at":0')
  expect(timeless(ours.text)).toBe(timeless(text))
  expect(ours.text).toMatch(/^event: connected\ndata: \{"reconnectAfterInactivityMs":15000\}\n\n\ndata: \{"at"/)
  for (const name of ['content-type', 'cache-control', 'x-accel-buffering']) {
    expect([name, ours.response.headers.get(name)]).toEqual([name, theirs.headers.get(name)])
  }
})

it('a frame for 120 clients is encoded once', async () => {
  const { url, events, encodings, clock } = await openStreams()
  const readers = await Promise.all(Array.from({ length: 120 }, () => read(url)))
  await until(() => readers.every(({ text }) => text.includes('id: epoch:0')))
  encodings.count = 0
  events.emit(jobs(1))
  await clock.advance(0)
  await until(() => readers.every(({ text }) => text.endsWith('id: epoch:1\n\n\n')))
  expect(encodings.count).toBe(1)
})

it('a client that receives no frame receives a ping every five seconds', async () => {
  const { url, clock } = await openStreams()
  const reader = await read(url)
  await until(() => reader.text.includes('id: epoch:0'))
  await clock.advance(10_000)
  await until(() => (reader.text.match(/event: ping/g) ?? []).length === 2)
  expect(reader.text.match(/\n\n\nevent: ping\n/g)).toHaveLength(2)
})

it('a client that does not read blocks no other, and at most one frame is kept for it', async () => {
  const { url, port, events, clock, responses } = await openStreams()
  const blocked = connect(port, '127.0.0.1').pause()
  onTestFinished(() => void blocked.destroy())
  blocked.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until(() => responses.length === 1)
  const reader = await read(url)
  const [response] = responses
  const send = async (n: number) => {
    events.emit(jobs(n, 200))
    await clock.advance(100)
  }
  let sent = 0
  // Socket buffers hold some megabytes at most. The other client receives every frame.
  for (let stuck = 0; stuck < 3 && sent < 3_000; stuck = response?.writableNeedDrain ? stuck + 1 : 0) {
    await send(++sent)
    await until(() => reader.text.includes(`id: epoch:${sent}\n`))
  }
  const waiting = response?.writableLength ?? 0
  expect(waiting).toBeGreaterThan(0)
  for (let n = 0; n < 20; n++) await send(++sent)
  await clock.advance(20_000)
  await until(() => reader.text.includes(`id: epoch:${sent}\n\n\n`))
  expect(response?.writableLength).toBe(waiting)
  let text = ''
  blocked.setEncoding('utf8').on('data', (part) => {
    text = (text + part).slice(-TAIL)
  })
  blocked.resume()
  await until(() => text.includes(`id: epoch:${sent}\n`))
  const totals = [...text.matchAll(/"total":(\d+)/g)].map(([, total]) => Number(total))
  expect(totals.at(-1)).toBeGreaterThanOrEqual(20 * 200)
})

it.each(['?batch=1', '?input=7', '?input={', '?input={"surprise":1}', '?input={"lastEventId":7}'])(
  'a request to events%s is left to tRPC, which rejects it',
  async (query) => {
    const { url, frames } = await openStreams()
    expect([(await fetch(`${url}${query}`)).status, frames.subscriberCount]).toEqual([418, 0])
  },
)

it('a stream that cannot start ends with an error without database details', async () => {
  const { url, encodings, reported } = await openStreams()
  encodings.fail = true
  const { text } = await (async () => ({ text: await (await fetch(url)).text() }))()
  expect(text).toMatch(/event: serialized-error\ndata: \{"message":"The server failed to process this call/)
  expect(text).not.toContain('secret')
  expect(String(reported)).toContain('secret detail')
  await settle()
})
