/** A job whose client disconnects during the claim is released, and the attempt does not count. */
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { handleNodeRequest } from '../../server/http/rest/node-handler.ts'
import { until } from '../support/engine.ts'
import type { TestServer } from '../support/server.ts'
import { describeRest, send } from './send.ts'

const MIB = 1_048_576
const LARGE = { MAX_PAYLOAD_BYTES: String(32 * MIB) }

/** A client that sends a request and does not read the response. */
async function sendWithoutReading({ url }: TestServer, path: string) {
  const { port, host } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  socket.pause()
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  return socket
}

const ended = ({ logged }: TestServer) => logged.filter(({ msg, aborted }) => msg === 'request' && aborted).length

/** True while a write waits for the database. */
async function isBlocked({ engine, place }: TestServer): Promise<boolean> {
  if (engine.load.queuedWrites > 0) return true
  if (place.dialect === 'sqlite') return false
  return Number((await place.sql('SELECT count(*) AS n FROM pg_locks WHERE NOT granted'))[0]?.n) > 0
}

describeRest('a claimed job', (startServer) => {
  it.each([
    ['/api/queue', { type: 'a', payload: 1 }],
    [
      '/v1/messages?visibility_timeout=600',
      { type: 'messages', payload: 'x', kind: 'message' as const, face: 'messages' },
    ],
  ])('a claimed job is released when its client disconnects during the claim: %s', async (path, job) => {
    const server = await startServer()
    const { id } = await server.engine.enqueue(job)
    const release = await server.place.hold()
    const client = await sendWithoutReading(server, path)
    await until(() => isBlocked(server))
    client.destroy()
    await until(() => ended(server) === 1)
    await release()
    await until(async () => {
      const { version, status } = await server.engine.get({ id })
      return version === 1 && status === 'pending'
    })
    expect(await server.engine.get({ id })).toMatchObject({ attempts: 0, crashes: 0, error: null })
  })

  it.each([
    ['/api/queue', { type: 'a', payload: 'x'.repeat(16 * MIB) }],
    [
      '/v1/messages?visibility_timeout=600',
      { type: 'messages', payload: 'x'.repeat(16 * MIB), kind: 'message' as const, face: 'messages' },
    ],
  ])('a claimed job is released when its client disconnects before the response is sent: %s', async (path, job) => {
    const server = await startServer(LARGE)
    const { id } = await server.engine.enqueue(job)
    const client = await sendWithoutReading(server, path)
    await until(async () => (await server.engine.counts()).processing === 1)
    client.destroy()
    await until(async () => (await server.engine.counts()).pending === 1)
    expect(await server.engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
    expect((await server.engine.attempts({ id })).map(({ outcome }) => outcome)).toEqual(['released'])
  })

  it('a claimed job stays claimed when the whole response was sent', async () => {
    const server = await startServer()
    await server.engine.enqueue({ type: 'a', payload: 1 })
    await send(server, 'GET /api/queue', undefined, { connection: 'close' })
    await until(() => server.logged.some(({ path, status }) => path === '/api/queue' && status === 200))
    expect(await server.engine.counts()).toMatchObject({ processing: 1, pending: 0 })
  })
})

it('handleNodeRequest calls onUndelivered for a response that is ready after the client disconnected', async () => {
  let respond = () => {}
  const mayRespond = new Promise<void>((resolve) => {
    respond = resolve
  })
  const seen: string[] = []
  const undelivered = new Promise<void>((resolve) => {
    const server = createServer((request, response) => {
      response.once('close', respond)
      const exchange = {
        request,
        response,
        readJson: async () => ({}),
        report: (error: unknown) => seen.push(`${error}`),
      }
      void handleNodeRequest(exchange, async ({ signal }) => {
        await mayRespond
        seen.push(`aborted ${signal.aborted}`)
        return { status: 200, body: {}, onUndelivered: async () => resolve() }
      })
    })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const client = get({ port, host: '127.0.0.1' }).on('error', () => {})
      server.once('request', () => client.destroy())
    })
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
  })
  await undelivered
  expect(seen).toEqual(['aborted true'])
})
