/** Who hangs up while a job is being claimed for them has not had it: it goes back, and the attempt does not count. */
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { carry } from '../../server/http/rest/node-handler.ts'
import { until } from '../support/engine.ts'
import type { TestServer } from '../support/server.ts'
import { ask, describeRest } from './ask.ts'

const MIB = 1_048_576
const LARGE = { MAX_PAYLOAD_BYTES: String(32 * MIB) }

/** A client that has asked and reads nothing of the answer. */
async function askAndWait({ url }: TestServer, path: string) {
  const { port, host } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  socket.pause()
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  return socket
}

const ended = ({ logged }: TestServer) => logged.filter(({ msg, aborted }) => msg === 'request' && aborted).length

/** Somebody waits for the database. */
async function isHeldUp({ engine, place }: TestServer): Promise<boolean> {
  if (engine.load.queuedWrites > 0) return true
  if (place.dialect === 'sqlite') return false
  return Number((await place.sql('SELECT count(*) AS n FROM pg_locks WHERE NOT granted'))[0]?.n) > 0
}

describeRest('a job whose client hung up', (startServer) => {
  it.each([
    ['/api/queue', { type: 'a', payload: 1 }],
    [
      '/v1/messages?visibility_timeout=600',
      { type: 'messages', payload: 'x', kind: 'message' as const, face: 'messages' },
    ],
  ])('while it was being claimed goes back: %s', async (path, job) => {
    const server = await startServer()
    const { id } = await server.engine.enqueue(job)
    const letGo = await server.place.hold()
    const client = await askAndWait(server, path)
    await until(() => isHeldUp(server))
    client.destroy()
    await until(() => ended(server) === 1)
    await letGo()
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
  ])('before its answer was sent goes back: %s', async (path, job) => {
    const server = await startServer(LARGE)
    const { id } = await server.engine.enqueue(job)
    const client = await askAndWait(server, path)
    await until(async () => (await server.engine.counts()).processing === 1)
    client.destroy()
    await until(async () => (await server.engine.counts()).pending === 1)
    expect(await server.engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
    expect((await server.engine.attempts({ id })).map(({ outcome }) => outcome)).toEqual(['released'])
  })

  it('is kept by who got it whole', async () => {
    const server = await startServer()
    await server.engine.enqueue({ type: 'a', payload: 1 })
    await ask(server, 'GET /api/queue', undefined, { connection: 'close' })
    await until(() => server.logged.some(({ path, status }) => path === '/api/queue' && status === 200))
    expect(await server.engine.counts()).toMatchObject({ processing: 1, pending: 0 })
  })
})

it('takes back an answer that came when nobody was there any more', async () => {
  let answerNow = () => {}
  const mayAnswer = new Promise<void>((resolve) => {
    answerNow = resolve
  })
  const seen: string[] = []
  const takenBack = new Promise<void>((resolve) => {
    const server = createServer((request, response) => {
      response.once('close', answerNow)
      const carrying = {
        request,
        response,
        readJson: async () => ({}),
        report: (error: unknown) => seen.push(`${error}`),
      }
      void carry(carrying, async ({ signal }) => {
        await mayAnswer
        seen.push(`aborted ${signal.aborted}`)
        return { status: 200, body: {}, undelivered: async () => resolve() }
      })
    })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const asking = get({ port, host: '127.0.0.1' }).on('error', () => {})
      server.once('request', () => asking.destroy())
    })
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
  })
  await takenBack
  expect(seen).toEqual(['aborted true'])
})
