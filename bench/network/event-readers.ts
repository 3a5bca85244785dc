/** Child process that reads event streams at minimal cost, so that the benchmark measures the server. */
import { connect, type Socket } from 'node:net'

export type ReadersOrder = { readonly open: number; readonly url: string } | { readonly close: true }

export interface ReadersReport {
  readonly open: number
  /** Total of all streams since the last request. */
  readonly bytes: number
  /** One stream, since the last request. */
  readonly frames: number
}

const CHUNK_BYTES = 262_144
const FRAME = Buffer.from('\nid: ')
const chunk = Buffer.alloc(CHUNK_BYTES)

let sockets: Socket[] = []
let bytes = 0
let frames = 0

/** Resolves with the first frame. */
function openStream(url: URL, isCounted: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (size: number) => {
      bytes += size
      const part = chunk.subarray(0, size)
      if (isCounted) for (let at = part.indexOf(FRAME); at >= 0; at = part.indexOf(FRAME, at + 1)) frames += 1
      if (part.includes(FRAME)) resolve()
      return true
    }
    const socket = connect({ port: Number(url.port), host: url.hostname, onread: { buffer: chunk, callback: take } })
    socket.on('error', reject)
    socket.write(`GET ${url.pathname}/events HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`)
    sockets.push(socket)
  })
}

async function closeAll(): Promise<void> {
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
  for (const socket of sockets) socket.destroy()
  sockets = []
  await Promise.all(closed)
}

process.on('message', async (order: ReadersOrder) => {
  if ('open' in order) {
    const url = new URL(order.url)
    await Promise.all(Array.from({ length: order.open }, (_, n) => openStream(url, n === 0)))
  }
  const report: ReadersReport = { open: sockets.length, bytes, frames }
  if ('close' in order) await closeAll()
  bytes = 0
  frames = 0
  process.send?.(report)
})
process.on('disconnect', () => process.exit())
