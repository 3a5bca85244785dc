/** A TCP proxy that can be cut, for tests of lost connections. */
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Line {
  readonly url: string
  /** Number of open connections. */
  readonly open: number
  /** Number of connections so far. */
  readonly total: number
  /** Drops all open connections; new ones are forwarded. */
  cut(): void
  /** Forwards nothing in either direction and closes nothing, like a network that drops packets. */
  silence(): void
  /** New connections work again; those that were open during the silence stay dead. */
  heal(): void
  /** Sets the target port of new connections. */
  lead(port: number): void
}

export async function cuttable(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let target = port
  let total = 0
  let isSilent = false
  const proxy = createServer((near) => {
    total += 1
    if (isSilent) {
      sockets.add(near)
      near.on('error', () => near.destroy())
      near.on('close', () => sockets.delete(near))
      near.pause()
      return
    }
    const far = connect(target, '127.0.0.1')
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket)
      socket.on('error', () => isSilent || other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        // Packets are dropped without a reset.
        if (!isSilent) other.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    proxy.close()
  })
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    get open() {
      return sockets.size / 2
    },
    get total() {
      return total
    },
    cut,
    silence() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    heal() {
      isSilent = false
    },
    lead(next) {
      target = next
    },
  }
}
