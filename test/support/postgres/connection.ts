/** A proxy between a node and PostgreSQL that a test can cut, close or silence, and that can lose a COMMIT. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type PostgresMessage, PostgresMessages } from '../proxies/postgres-messages.ts'

/** The lost part of a COMMIT: its response, or the request itself. */
export type LostCommit = 'answer' | 'request'

/** An ErrorResponse message of PostgreSQL. */
const STARTING_UP = Buffer.from('E\0\0\0\0SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0')
STARTING_UP.writeUInt32BE(STARTING_UP.length - 1, 1)

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

export class PostgresLine {
  /** Address of the database through this proxy. */
  readonly url: string
  /** Number of lost COMMITs. */
  lost = 0
  /** null: no commit will be lost. */
  private losing: { readonly what: LostCommit; after: number } | null = null
  private silent = false
  private starting = false
  private server: Server | null = null
  private readonly port: number
  private readonly target: URL
  private readonly pairs = new Set<Pair>()

  private constructor(url: string, port: number) {
    this.target = new URL(url)
    this.port = port
    const mine = new URL(url)
    mine.port = String(port)
    this.url = mine.href
  }

  /** A proxy to the database at `url`. Connections are refused before `open`. */
  static async to(url: string): Promise<PostgresLine> {
    const line = new PostgresLine(url, await freePort())
    onTestFinished(() => line.close())
    return line
  }

  /** Accepts and forwards connections. */
  async open(): Promise<this> {
    if (this.silent) this.cut()
    this.silent = false
    this.starting = false
    return this.listen()
  }

  /** Accepts connections and rejects each like a server that is starting up. */
  startUp(): Promise<this> {
    this.starting = true
    return this.listen()
  }

  private async listen(): Promise<this> {
    if (this.server) return this
    const server = createServer((near) => this.join(near))
    this.server = server
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
    return this
  }

  /** Drops every connection; new ones are let through. */
  cut(): void {
    for (const { near, far } of this.pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Drops every connection and refuses new ones. */
  async close(): Promise<void> {
    const { server } = this
    this.server = null
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
    this.cut()
    await closed
  }

  /** Connections stay open but forward nothing, as with a pulled cable; `open` drops them. */
  silence(): void {
    this.silent = true
  }

  /** Loses the next COMMIT, or the one after `after` more. */
  lose(what: LostCommit, after = 0): void {
    this.losing = { what, after }
  }

  private join(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname)
    const pair = { near, far }
    this.pairs.add(pair)
    const messages = new PostgresMessages('client')
    let dropsResponse = false
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.pairs.delete(pair)
        other.destroy()
      })
    }
    near.on('data', (chunk) => {
      if (this.starting) near.end(STARTING_UP)
      if (this.silent || this.starting) return
      const isLost = messages.read(chunk).some(isCommit) && this.isLost()
      if (isLost === 'request') {
        near.destroy()
        return
      }
      dropsResponse ||= isLost === 'answer'
      far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (this.silent) return
      // The response has arrived, so the commit is done.
      if (dropsResponse) near.destroy()
      else near.write(chunk)
    })
  }

  private isLost(): LostCommit | null {
    const { losing } = this
    if (!losing) return null
    if (losing.after > 0) {
      losing.after -= 1
      return null
    }
    this.losing = null
    this.lost += 1
    return losing.what
  }
}

/** As a text, or as the prepared statement of plain commits: Bind with an unnamed portal. */
function isCommit({ type, bytes }: PostgresMessage): boolean {
  const body = bytes.toString('latin1', 5)
  return type === 'Q' ? /^commit\0$/i.test(body) : type === 'B' && body.startsWith('\0plain-commit\0')
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}
