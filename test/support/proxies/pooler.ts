/** A PostgreSQL connection pooler: gives clients its connections for a session, a transaction or a statement, as PgBouncer does. */
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { PostgresMessages } from './postgres-messages.ts'

export interface Pooling {
  readonly mode: 'session' | 'transaction' | 'statement'
  /** Number of connections to PostgreSQL that clients share; default one per client that has connected. */
  readonly size?: number
  /** Gives clients the connection that has been free for longest, not the one that became free last. */
  readonly takesTurns?: boolean
}

/** A connection to PostgreSQL. */
interface Backend {
  readonly socket: Socket
  client: Client | null
  /** Number of requests without a ReadyForQuery. */
  unanswered: number
}

interface Client {
  readonly socket: Socket
  backend: Backend | null
  /** Messages that wait for a free backend. */
  readonly waiting: Buffer[]
}

/** Starts a pooler for the database at `url` and returns the pooled address. */
export async function pooler(url: string, pooling: Pooling): Promise<string> {
  const { port, hostname } = new URL(url)
  const pool = new Pool(pooling, () => connect(Number(port), hostname))
  const server = createServer((socket) => pool.welcome(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    pool.close()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the pooler has no port')
  const pooled = new URL(url)
  pooled.port = String(address.port)
  return pooled.href
}

class Pool {
  private readonly sockets = new Set<Socket>()
  private readonly free: Backend[] = []
  private readonly queue: Client[] = []
  private size = 0
  private readonly pooling: Pooling
  private readonly dial: () => Socket

  constructor(pooling: Pooling, dial: () => Socket) {
    this.pooling = pooling
    this.dial = dial
  }

  /** Each client authenticates on a new connection, which then belongs to the pool. */
  welcome(socket: Socket): void {
    const client: Client = { socket, backend: null, waiting: [] }
    const backend: Backend = { socket: this.dial(), client, unanswered: 0 }
    const messages = new PostgresMessages('client')
    /** The client has logged in, and from now on gets a backend when it needs one. */
    let isReady = false
    this.keep(socket, () => (isReady ? this.leave(client) : backend.socket.destroy()))
    this.keep(backend.socket, () => backend.client?.socket.destroy())
    socket.on('data', (chunk) => {
      for (const message of messages.read(chunk)) {
        if (isReady) this.send(client, message.bytes)
        else backend.socket.write(message.bytes)
      }
    })
    this.answer(backend, () => {
      // In session mode the client keeps this backend.
      if (this.pooling.mode === 'session') return
      isReady = true
      this.size += 1
      if (this.size > (this.pooling.size ?? Infinity)) this.remove(backend)
      else this.release(backend)
    })
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  private keep(socket: Socket, onClose: () => void): void {
    this.sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.sockets.delete(socket)
      onClose()
    })
  }

  /** Forwards what PostgreSQL sends to the client that has the backend at that moment. */
  private answer(backend: Backend, onLogin: () => void): void {
    const messages = new PostgresMessages('server')
    let isLoggedIn = false
    backend.socket.on('data', (chunk) => {
      for (const { type, bytes } of messages.read(chunk)) {
        backend.client?.socket.write(type === 'K' ? withoutProcess(bytes) : bytes)
        if (type !== 'Z') continue
        if (isLoggedIn && this.pooling.mode !== 'session') this.finish(backend, bytes.toString('latin1', 5, 6))
        else onLogin()
        isLoggedIn = true
      }
    })
  }

  private send(client: Client, bytes: Buffer): void {
    const type = bytes.toString('latin1', 0, 1)
    if (type === 'X') {
      client.socket.end()
      return
    }
    if (client.backend) {
      this.forward(client.backend, bytes)
      return
    }
    client.waiting.push(bytes)
    if (client.waiting.length === 1) this.queue.push(client)
    this.assign()
  }

  private forward(backend: Backend, bytes: Buffer): void {
    // Query and Sync are each answered with one ReadyForQuery.
    if (/^[QS]/.test(bytes.toString('latin1', 0, 1))) backend.unanswered += 1
    backend.socket.write(bytes)
  }

  private assign(): void {
    for (;;) {
      const client = this.queue[0]
      const backend = client && (this.pooling.takesTurns ? this.free.shift() : this.free.pop())
      if (!backend) return
      this.queue.shift()
      client.backend = backend
      backend.client = client
      for (const bytes of client.waiting.splice(0)) this.forward(backend, bytes)
    }
  }

  private finish(backend: Backend, transaction: string): void {
    backend.unanswered -= 1
    const isDone = this.pooling.mode === 'statement' || transaction === 'I'
    if (backend.unanswered === 0 && isDone) this.release(backend)
  }

  private release(backend: Backend): void {
    if (backend.client) backend.client.backend = null
    backend.client = null
    this.free.push(backend)
    this.assign()
  }

  private remove(backend: Backend): void {
    this.size -= 1
    backend.client = null
    backend.socket.destroy()
  }

  private leave(client: Client): void {
    const place = this.queue.indexOf(client)
    if (place >= 0) this.queue.splice(place, 1)
    // Without a reset the next client would continue its session.
    if (client.backend) this.remove(client.backend)
  }
}

/** A pooler sends its cancellation key instead of the id of the process. */
function withoutProcess(backendKey: Buffer): Buffer {
  const changed = Buffer.from(backendKey)
  changed.writeUInt32BE(changed.readUInt32BE(5) + 1_000_000, 5)
  return changed
}
