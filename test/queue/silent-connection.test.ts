/** A connection without responses: calls end with UNREACHABLE; calls that wait on a live server do not. */
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { refused } from '../support/engine.ts'
import { refusal } from '../support/refusal.ts'
import { describeServer } from '../support/server.ts'

const TIMEOUT_MS = 100

it('a call on a silent connection is rejected with UNREACHABLE, whatever the verb', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const queue = openRemoteQueue({ url: `http://127.0.0.1:${port}` }, { totalMs: TIMEOUT_MS })
  const calls = [
    queue.enqueue({ type: 'a', payload: 1 }),
    queue.log({ id: 'a', version: 1, lines: [] }),
    queue.exchange({ worker: 'w', settle: [] }),
    queue.get({ id: 'a' }),
  ]
  // All at once: they are sent in several requests, and none may be rejected before it is awaited.
  for (const error of await Promise.all(calls.map((call) => refused(call)))) {
    expect(error).toMatchObject({ code: 'UNREACHABLE' })
  }
})

it('a frequent call on a silent connection is rejected soon after its waitMs', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const queue = openRemoteQueue({ url: `http://127.0.0.1:${port}` }, { headersMs: TIMEOUT_MS })
  const calls = [
    queue.claim({ worker: 'w', waitMs: TIMEOUT_MS }),
    queue.exchange({ worker: 'w', claim: { waitMs: TIMEOUT_MS } }),
    queue.exchange({ worker: 'w', claim: {} }),
    queue.heartbeat({ worker: 'w', leases: [] }),
  ]
  for (const refusal of await Promise.all(calls.map(refused))) {
    expect(refusal).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('no response') })
  }
})

it('a response of another program is rejected as UNREACHABLE with its HTTP status', async () => {
  const other = createHttpServer((_, response) => response.writeHead(502).end('<html>')).listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => other.once('listening', resolve))
  onTestFinished(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const { code, message } = await refused(openRemoteQueue({ url: `http://127.0.0.1:${port}` }).facts())
  expect([code, message]).toEqual([
    'UNREACHABLE',
    expect.stringMatching(/sent HTTP 502 without JSON: .* check the URL\.$/),
  ])
})

it('a URL with a password is rejected, and the message does not repeat it', () => {
  const { code, message } = refusal(() => openRemoteQueue({ url: 'http://me:secret@127.0.0.1:3000' }))
  expect([code, message]).toEqual(['BAD_INPUT', expect.not.stringContaining('secret')])
})

describeServer('a claim with a long waitMs', (startServer) => {
  it('does not time out on a live server', async () => {
    const { url } = await startServer()
    const queue = openRemoteQueue({ url }, { totalMs: TIMEOUT_MS })
    expect(await queue.claim({ worker: 'w', waitMs: TIMEOUT_MS * 4 })).toEqual([])
  })
})
