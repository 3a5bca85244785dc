/** Connections of Node clients: kept open between calls, replaced when the server has closed them, closed with the queue. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { openServerQueue } from '../../server/sdk/node-http/server-queue.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { refused, until } from '../support/engine.ts'
import { DATABASES, sqlite } from '../support/places.ts'
import { cuttable } from '../support/proxies/cuttable.ts'
import { describeServer, startOn } from '../support/server.ts'
import { heldServer } from './support/held-server.ts'

it('calls one after the other use one connection, and a waiting call its own', async () => {
  const server = await heldServer()
  const queue = openServerQueue({ url: server.url })
  const waiting = queue.claim({ worker: 'w', waitMs: 1_000 })
  const claim = await server.next()
  for (let i = 0; i < 5; i++) {
    const call = queue.enqueue({ type: 'mail', payload: i })
    const request = await server.next()
    request.respond()
    await call
    expect(request.socket).not.toBe(claim.socket)
  }
  claim.respond([])
  await waiting
  expect(server.connections).toBe(2)
})

it('a queue closes idle connections when it is closed, and busy ones after their response', async () => {
  const server = await heldServer()
  const queue = openServerQueue({ url: server.url })
  const calls = [queue.enqueue({ type: 'mail', payload: 1 })]
  const busy = await server.next()
  calls.push(queue.enqueue({ type: 'mail', payload: 2 }))
  const idle = await server.next()
  idle.respond()
  await calls[1]
  await queue.close()
  await idle.closed
  busy.respond()
  expect(await calls[0]).toEqual({ path: 'enqueue' })
  await busy.closed
})

it('an idle connection does not keep a connection that announced its end', async () => {
  const server = await heldServer()
  const queue = openServerQueue({ url: server.url })
  for (const _ of [1, 2]) {
    const call = queue.facts()
    const { raw } = await server.next()
    raw(200, { 'content-type': 'application/json', connection: 'close' }, '{"result":{"data":1}}')
    expect(await call).toBe(1)
  }
  expect(server.connections).toBe(2)
})

it('a call in the turn in which the server ends a connection uses another one', async () => {
  const server = await heldServer()
  const sockets: Socket[] = []
  const onSocket = (message: unknown) => {
    if (typeof message === 'object' && message && 'socket' in message && message.socket instanceof Socket) {
      sockets.push(message.socket)
    }
  }
  subscribe('net.client.socket', onSocket)
  onTestFinished(() => void unsubscribe('net.client.socket', onSocket))
  const queue = openServerQueue({ url: server.url })
  const first = queue.facts()
  const request = await server.next()
  request.respond(1)
  await first
  const ended = new Promise<void>((resolve) => sockets[0]?.once('end', resolve))
  request.socket.end()
  await ended
  const second = queue.facts()
  ;(await server.next()).respond(2)
  expect([await second, server.connections]).toEqual([2, 2])
})

/** Closes its idle connections while the event loop of the test is blocked. */
const CLOSING_SERVER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const flag = new Int32Array(workerData)
  const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json').end('{"result":{"data":' + ++server.served + '}}')
    })
  })
  server.served = 0
  const sockets = new Set()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
  parentPort.on('message', (how) => {
    for (const socket of sockets) socket[how]()
    setImmediate(() => {
      Atomics.store(flag, 0, 1)
      Atomics.notify(flag, 0)
    })
  })
`

it.each([
  ['closed', 'destroy'],
  ['ended', 'end'],
])('a call after a blocked event loop does not use a connection that the server has %s meanwhile', async (_, how) => {
  const shared = new SharedArrayBuffer(4)
  const flag = new Int32Array(shared)
  const thread = new Worker(CLOSING_SERVER, { eval: true, workerData: shared })
  onTestFinished(async () => void (await thread.terminate()))
  const port = await new Promise<number>((resolve) => thread.once('message', resolve))
  const queue = openServerQueue({ url: `http://127.0.0.1:${port}` })
  expect(await queue.facts()).toBe(1)
  thread.postMessage(how)
  Atomics.wait(flag, 0, 0)
  // As a handler that computes for longer than a connection is assumed to be alive without a check.
  Atomics.wait(flag, 0, 1, 150)
  expect(await queue.facts()).toBe(2)
})

describeServer(
  'a queue behind a server',
  (startServer) => {
    it('continues without an error after its server was restarted', async () => {
      const first = await startServer()
      const line = await cuttable(first.address.port)
      const queue = await openQueue(line.url)
      await Promise.all([queue.enqueue({ type: 'mail', payload: 1 }), queue.stats()])
      await first.close()
      // Two turns later the client has been notified of both connections.
      await until(() => line.open === 0)
      for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate)
      const second = await startServer()
      line.lead(second.address.port)
      const { id } = await queue.enqueue({ type: 'mail', payload: 2 })
      expect(await second.engine.get({ id })).toMatchObject({ payload: 2 })
    })

    it('rejects calls with UNREACHABLE while its server is away, and continues when it is back', async () => {
      const server = await startServer()
      const line = await cuttable(server.address.port)
      const queue = await openQueue(line.url)
      await queue.enqueue({ type: 'mail', payload: 1 })
      line.lead(1)
      line.cut()
      const calls = [1, 2, 3].map((payload) => queue.enqueue({ type: 'mail', payload }))
      for (const error of await Promise.all(calls.map(refused))) expect(error).toMatchObject({ code: 'UNREACHABLE' })
      line.lead(server.address.port)
      await queue.enqueue({ type: 'mail', payload: 4 })
      expect(await server.engine.counts()).toMatchObject({ pending: 2 })
    })

    it('ends its calls with CLOSED or a response when its server shuts down', async () => {
      const server = await startServer()
      const queue = await openQueue(server.url)
      const claim = queue.claim({ worker: 'w', waitMs: 10_000 })
      await queue.enqueue({ type: 'other', payload: 1 })
      await claim
      const waiting = queue.claim({ worker: 'w', types: ['none'], waitMs: 10_000 })
      await expect.poll(() => server.engine.load.waitingClaims).toBe(1)
      await server.close()
      expect(await waiting.catch((error) => error.code)).toSatisfy(
        (end: unknown) => end === 'CLOSED' || (Array.isArray(end) && end.length === 0),
      )
      expect(await refused(queue.facts())).toMatchObject({ code: 'UNREACHABLE' })
    })
  },
  DATABASES.slice(0, 1),
)

it('a queue works below a base path', async () => {
  const { url, engine } = await startOn(sqlite)({ BASE_PATH: '/tools/queue' })
  const queue = await openQueue(url)
  const jobs = await Promise.all([1, 2].map((payload) => queue.enqueue({ type: 'mail', payload })))
  expect([url.endsWith('/tools/queue'), jobs.length, await engine.counts()]).toMatchObject([true, 2, { pending: 2 }])
})
