/** An HTTP server that records the requests of a queue and holds its responses until the test sends them. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Operation } from '../../../shared/contracts/batch.ts'

export interface Received {
  /** The procedure. */
  readonly path: string
  readonly body: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  /** Operations of a batch; empty for other procedures. */
  readonly ops: readonly Operation[]
  /** Resolves when the client has closed the connection. */
  readonly closed: Promise<void>
  /** The result of the procedure. A batch gets one outcome for each operation: its type and index. */
  respond(result?: unknown): void
  refuse(code: string): void
  raw(status: number, headers: Readonly<Record<string, string>>, body?: string | Buffer): void
}

export interface HeldServer {
  readonly url: string
  readonly requests: readonly Received[]
  /** Connections so far. */
  readonly connections: number
  /** The next request that was not returned yet. */
  next(): Promise<Received>
  /** Handles requests immediately instead of holding them. */
  onRequest: ((request: Received) => void) | null
}

const JSON_TYPE = { 'content-type': 'application/json' }

export async function heldServer(): Promise<HeldServer> {
  const requests: Received[] = []
  const arrivals: (() => void)[] = []
  let taken = 0
  let connections = 0
  let held: HeldServer | null = null
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const body = Buffer.concat(chunks).toString()
    const path = (request.url ?? '').replace('/trpc/', '')
    const ops: Operation[] = path === 'batch' ? JSON.parse(body).ops : []
    const { headers, socket } = request
    const raw: Received['raw'] = (status, head, text = '') => void response.writeHead(status, head).end(text)
    const received: Received = {
      path,
      body,
      headers,
      socket,
      ops,
      closed: new Promise((resolve) => socket.once('close', () => resolve())),
      respond: (result = path === 'batch' ? { outcomes: ops.map(echo) } : { path }) =>
        raw(200, JSON_TYPE, JSON.stringify({ result: { data: result } })),
      refuse: (code) =>
        raw(400, JSON_TYPE, JSON.stringify({ error: { message: `refused: ${code}`, data: { queueCode: code } } })),
      raw,
    }
    requests.push(received)
    arrivals.shift()?.()
    held?.onRequest?.(received)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  held = {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    get connections() {
      return connections
    },
    async next() {
      taken += 1
      if (requests.length < taken) await new Promise<void>((resolve) => arrivals.push(resolve))
      const request = requests[taken - 1]
      if (!request) throw new Error('no request arrived')
      return request
    },
    onRequest: null,
  }
  return held
}

function echo({ verb, input }: Operation, index: number) {
  return { ok: true, value: { verb, input, index } }
}
