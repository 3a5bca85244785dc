/** A line that has gone silent: whoever asks is told so, and whoever waits is not. */
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/queue/remote-queue.ts'
import { refused } from '../support/engine.ts'
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
  const queue = openRemoteQueue({ url: `http://127.0.0.1:${port}` }, PATIENCE_MS)
  const asked = [
    queue.enqueue({ type: 'a', payload: 1 }),
    queue.log({ id: 'a', version: 1, lines: [] }),
    queue.exchange({ worker: 'w', settle: [] }),
    queue.get({ id: 'a' }),
  ]
  for (const call of asked) expect(await refused(call)).toMatchObject({ code: 'UNREACHABLE' })
})

describeServer('a long wait', (startServer) => {
  it('is no silence', async () => {
    const { url } = await startServer()
    const queue = openRemoteQueue({ url }, PATIENCE_MS)
    expect(await queue.claim({ worker: 'w', waitMs: PATIENCE_MS * 4 })).toEqual([])
  })
})
