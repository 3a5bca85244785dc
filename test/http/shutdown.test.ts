/** Graceful shutdown: open requests, late requests and event streams. */
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { openLog } from '../../server/base/log.ts'
import { serve } from '../../server/ops/serve.ts'
import { batching, refusedBy, streaming } from '../api/support/client.ts'
import { until } from '../support/engine.ts'
import type { Database, Place } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { settle, TestClock } from '../support/test-clock.ts'

const BODY = '{"type":"mail","payload":1}'
/** A request without its body. */
const POST =
  'POST /trpc/enqueue HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
  `content-length: ${BODY.length}\r\n\r\n`
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

/** A server on a test clock, so that shutdown does not depend on real time. */
async function serveOnTestClock(place: Place, port = 0) {
  const env = { ...place.settings('normal'), PORT: String(port) }
  const clock = new TestClock()
  const onFatal = (error: Error) => {
    throw error
  }
  const server = await serve({
    config: readConfig(env),
    server: readServerConfig(env),
    log: openLog('silent', { write: () => {} }),
    pageFolder: null,
    clock,
    onFatal,
  })
  await clock.advance(0)
  await until(() => server.engine.upkeepAt !== null)
  return { server, clock }
}

/** A TCP connection and the bytes received on it. */
async function dial(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  return {
    closed,
    send: (text: string) => socket.write(text),
    /** Head and body of the response, after the server has closed the connection. */
    async response() {
      await closed
      const [head = '', body = ''] = text.split('\r\n\r\n')
      return { status: Number(head.split(' ')[1]), head, body }
    },
  }
}

/** A closing server: `holder` has sent no body yet and delays the shutdown, `late` is connected but has sent nothing. */
async function serveClosing(database: Database) {
  const { server, clock } = await serveOnTestClock(await database.create())
  const { port } = server.address
  const holder = await dial(port)
  holder.send(POST)
  const late = await dial(port)
  // Connections are accepted in order, so both are accepted by now.
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
  const timersBefore = clock.pendingTimers
  let isClosed = false
  const closed = server.close().then(() => {
    isClosed = true
  })
  onTestFinished(async () => {
    await Promise.race([closed, clock.advance(60_000)])
    await closed
  })
  const armed = clock.pendingTimers - timersBefore
  return { server, clock, holder, late, closed, isClosed: () => isClosed, armed }
}

describeServer('a closing server', (_, database) => {
  it('a closing server waits ten seconds for an outstanding body, then closes', async () => {
    const { clock, holder, closed, isClosed, armed } = await serveClosing(database)
    expect(armed).toBe(1)
    await clock.advance(9_999)
    expect(isClosed()).toBe(false)
    await clock.advance(1)
    await closed
    expect([await holder.response(), clock.pendingTimers]).toEqual([{ status: Number.NaN, head: '', body: '' }, 0])
  })

  it('a closing server responds to an open request, then closes its connection', async () => {
    const { clock, holder, closed } = await serveClosing(database)
    holder.send(BODY)
    const { status, head, body } = await holder.response()
    expect([status, head]).toEqual([200, expect.stringMatching(/^connection: close$/im)])
    expect(body).toContain('"status":"pending"')
    await closed
    expect(clock.pendingTimers).toBe(0)
  })

  it('a closing server responds on an open connection, then closes it', async () => {
    const { late, isClosed } = await serveClosing(database)
    late.send(get('/health'))
    const { status, head } = await late.response()
    expect([status, head]).toEqual([200, expect.stringMatching(/^connection: close$/im)])
    expect(isClosed()).toBe(false)
  })

  it('a closing server reports that it is not ready', async () => {
    const { late } = await serveClosing(database)
    late.send(get('/ready'))
    const { status, body } = await late.response()
    const problems = ['the server is shutting down']
    expect([status, JSON.parse(body)]).toEqual([503, { status: 'failing', durability: 'normal', problems }])
  })

  it('a closing server rejects a new event stream, which does not delay the shutdown', async () => {
    const { server, holder, late, closed } = await serveClosing(database)
    late.send(get('/trpc/events'))
    const { status, body } = await late.response()
    expect([status, JSON.parse(body)]).toMatchObject([503, { error: { data: { queueCode: 'CLOSED' } } }])
    holder.send(BODY)
    await closed
    expect([server.frames.subscriberCount, (await holder.response()).status]).toEqual([0, 200])
  })
})

describeServer('a server that cannot listen', (startServer, database) => {
  it('a server that cannot listen releases its database', async () => {
    const first = await startServer()
    const place = await database.create()
    await expect(serveOnTestClock(place, first.address.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(await first.place.isFree()).toBe(false)
    await expect.poll(() => place.isFree(), { timeout: 30_000 }).toBe(true)
  })
})

describeServer('a response that cannot be serialised', (startServer) => {
  it.each([
    ['in a stream', streaming],
    ['in a batch', batching],
  ])('a response that cannot be serialised fails alone %s, with its cause in the log', async (_, connectTo) => {
    const server = await startServer()
    Object.assign(server.engine.parsed, { list: () => Promise.resolve({ jobs: [], total: 1n }) })
    await refusedBy(connectTo(server).client.list.query())
    const reasons = () => server.logged.map(({ err }) => (err as { message?: string } | undefined)?.message)
    await until(() => server.logged.some(({ msg }) => msg === 'request'))
    expect(reasons()).toContain('Do not know how to serialize a BigInt')
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })

  it('a response that cannot be serialised does not end the server', async () => {
    const server = await startServer()
    Object.assign(server.engine.parsed, { list: () => Promise.resolve({ jobs: [], total: 1n }) })
    await refusedBy(streaming(server).client.list.query())
    await until(() => server.logged.some(({ msg }) => msg === 'sending a response failed'))
    expect(server.logged).toContainEqual(expect.objectContaining({ level: 50, err: expect.any(Object) }))
    await settle()
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })
})
