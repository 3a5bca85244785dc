/** A pipelined connection to beanstalkd: replies arrive in the order of the commands. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Reply {
  /** `INSERTED`, `RESERVED`, `DELETED`, `OK` … */
  readonly word: string
  readonly fields: readonly string[]
  /** Of `RESERVED` and `OK`. */
  readonly body: string | null
}

interface Expected {
  readonly word: string
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

const END = '\r\n'
const EMPTY = Buffer.alloc(0)

export class BeanstalkdConnection {
  private readonly socket: Socket
  private received: Buffer = EMPTY
  private readonly expected: Expected[] = []

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => this.read(chunk))
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => this.fail(new Error('beanstalkd closed the connection.')))
  }

  static async open(address: string): Promise<BeanstalkdConnection> {
    const { hostname, port } = new URL(address)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new BeanstalkdConnection(socket)
  }

  /** Rejects if the reply does not start with `word`. */
  send(command: string, word: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.expected.push({ word, resolve, reject })
      this.socket.write(command + END)
    })
  }

  put(body: string): Promise<Reply> {
    return this.send(`put 0 0 120 ${Buffer.byteLength(body)}${END}${body}`, 'INSERTED')
  }

  /** The commands of `work` leave as one packet. */
  together(work: () => void): void {
    this.socket.cork()
    work()
    this.socket.uncork()
  }

  close(): void {
    this.socket.removeAllListeners('close')
    this.socket.destroy()
  }

  private read(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk])
    let at = 0
    for (;;) {
      const lineEnd = this.received.indexOf(END, at)
      if (lineEnd < 0) break
      const [word = '', ...fields] = this.received.toString('latin1', at, lineEnd).split(' ')
      const hasBody = word === 'RESERVED' || word === 'OK'
      const bodyAt = lineEnd + END.length
      const bodyEnd = hasBody ? bodyAt + Number(fields.at(-1)) : bodyAt
      const next = hasBody ? bodyEnd + END.length : bodyAt
      if (this.received.length < next) break
      this.settle({ word, fields, body: hasBody ? this.received.toString('utf8', bodyAt, bodyEnd) : null })
      at = next
    }
    this.received = at === this.received.length ? EMPTY : this.received.subarray(at)
  }

  private settle(reply: Reply): void {
    const first = this.expected.shift()
    if (first?.word === reply.word) first.resolve(reply)
    else
      first?.reject(new Error(`beanstalkd replied ${reply.word} ${reply.fields.join(' ')} instead of ${first.word}.`))
  }

  private fail(error: Error): void {
    for (const { reject } of this.expected.splice(0)) reject(error)
  }
}
