/** Counts round trips to PostgreSQL: a proxy that holds back all responses until the client waits for them. */
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export interface Trips {
  /** Address of the database through the proxy. */
  readonly url: string
  /** Round trips of all connections while `run` runs. */
  during(run: () => Promise<unknown>): Promise<number>
}

/** Turns of the event loop after which nothing more is on its way from the client. */
const QUIET_TURNS = 5

export async function countTrips(database: string): Promise<Trips> {
  const target = new URL(database)
  const sockets = new Set<Socket>()
  let trips = 0
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
    const requests = new Messages(['Q', 'S'], false)
    const responses = new Messages(['Z'], true)
    let held: Buffer[] = []
    let isStarted = false
    near.on('data', (chunk) => {
      requests.read(chunk)
      far.write(chunk)
    })
    far.on('data', async (chunk) => {
      held.push(chunk)
      responses.read(chunk)
      // During start-up client and server alternate, and the first ReadyForQuery answers no request.
      if (isStarted) {
        for (let turn = 0; turn < QUIET_TURNS; turn++) await setImmediate()
        if (responses.found <= requests.found || held.length === 0) return
        trips += 1
      }
      isStarted ||= responses.found > 0
      const released = held
      held = []
      for (const piece of released) near.write(piece)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  const url = new URL(database)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return {
    url: url.href,
    async during(run) {
      const before = trips
      await run()
      return trips - before
    },
  }
}

/** Counts messages of some kinds: type byte, length, body. The first message of a client has no type byte. */
class Messages {
  found = 0
  private readonly kinds: readonly string[]
  private hasKind: boolean
  private rest = Buffer.alloc(0)

  constructor(kinds: readonly string[], hasKind: boolean) {
    this.kinds = kinds
    this.hasKind = hasKind
  }

  read(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk])
    for (;;) {
      const letter = this.hasKind ? 1 : 0
      if (this.rest.length < letter + 4) return
      const end = letter + this.rest.readUInt32BE(letter)
      if (this.rest.length < end) return
      if (this.hasKind && this.kinds.includes(this.rest.toString('latin1', 0, 1))) this.found += 1
      this.hasKind = true
      this.rest = this.rest.subarray(end)
    }
  }
}
