/** Requests with more headers than Node keeps by default, written to a socket as they are. */
import { connect, type Socket } from 'node:net'

/** Above Node's default limit of 1,000. */
export const MANY_HEADERS = 1_100

export interface RawRequest {
  readonly path: string
  /** Header lines before the many. */
  readonly first?: readonly string[]
  /** Header lines after the many, where a proxy appends its own. */
  readonly last?: readonly string[]
  readonly many?: number
  readonly body?: string
}

/** POSTs JSON over the connection; resolves with the status and the response body. */
export function postRaw(socket: Socket, request: RawRequest): Promise<{ status: number; text: string }> {
  const {
    path,
    first = ['Host: localhost'],
    last = [],
    many = MANY_HEADERS,
    body = '{"type":"mail","payload":1}',
  } = request
  const padding = Array.from({ length: many }, (_, n) => `x-a${n}: 1`)
  const fixed = ['Connection: close', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
  const head = [`POST ${path} HTTP/1.1`, ...first, ...fixed, ...padding, ...last]
  return new Promise((resolve, reject) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.once('error', reject)
    socket.once('end', () => {
      const [top = '', ...rest] = received.split('\r\n\r\n')
      resolve({ status: Number(top.split(' ')[1]), text: rest.join('\r\n\r\n') })
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

export function connectTo(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1')
}
