/** A line that has gone silent: whoever asks is told so, and whoever waits is not. */
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { refused } from '../support/engine.ts'
import { refusal } from '../support/refusal.ts'
import { describeServer } from '../support/server.ts'

const PATIENCE_MS = 100

it('is told to whoever asked, whatever it was', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const queue = openRemoteQueue({ url: `http://127.0.0.1:${port}` }, { patienceMs: PATIENCE_MS })
  const asked = [
    queue.enqueue({ type: 'a', payload: 1 }),
    queue.log({ id: 'a', version: 1, lines: [] }),
    queue.exchange({ worker: 'w', settle: [] }),
    queue.get({ id: 'a' }),
  ]
  // All at once: they travel in several requests, and none may be rejected before it is waited for.
  for (const error of await Promise.all(asked.map((call) => refused(call)))) {
    expect(error).toMatchObject({ code: 'UNREACHABLE' })
  }
})

it('ends a call of a worker soon after the time it asked to wait', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const queue = openRemoteQueue({ url: `http://127.0.0.1:${port}` }, { responseMs: PATIENCE_MS })
  const calls = [
    queue.claim({ worker: 'w', waitMs: PATIENCE_MS }),
    queue.exchange({ worker: 'w', claim: { waitMs: PATIENCE_MS } }),
    queue.exchange({ worker: 'w', claim: {} }),
    queue.heartbeat({ worker: 'w', leases: [] }),
  ]
  for (const refusal of await Promise.all(calls.map(refused))) {
    expect(refusal).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('no response') })
  }
})

it('is told from an answer of somebody else', async () => {
  const other = createHttpServer((_, response) => response.writeHead(502).end('<html>')).listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => other.once('listening', resolve))
  onTestFinished(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const { code, message } = await refused(openRemoteQueue({ url: `http://127.0.0.1:${port}` }).facts())
  expect([code, message]).toEqual([
    'UNREACHABLE',
    expect.stringMatching(/answered with HTTP 502 and no JSON, .* address right\?$/),
  ])
})

it('cannot be asked with a password in its address, which is not repeated', () => {
  const { code, message } = refusal(() => openRemoteQueue({ url: 'http://me:secret@127.0.0.1:3000' }))
  expect([code, message]).toEqual(['BAD_INPUT', expect.not.stringContaining('secret')])
})

describeServer('a long wait', (startServer) => {
  it('is no silence', async () => {
    const { url } = await startServer()
    const queue = openRemoteQueue({ url }, { patienceMs: PATIENCE_MS })
    expect(await queue.claim({ worker: 'w', waitMs: PATIENCE_MS * 4 })).toEqual([])
  })
})
