/** Records the tRPC exchanges of test servers as JSON lines, for `npm run test:trpc-paths`. */
import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'

/** Longer bodies are recorded by their beginning and their hash. */
const MAX_BODY_LENGTH = 20_000

/** One request and its response. */
export interface Exchange {
  readonly file: string
  readonly test: string
  /** Position among all requests of this process. */
  readonly order: number
  readonly method: string
  readonly path: string
  readonly requestHeaders: IncomingHttpHeaders
  readonly requestBody: string
  /** Null when the connection was closed before the end of the response. */
  readonly response: {
    /** Status line and headers, as sent. */
    readonly head: string
    readonly body: string
  } | null
}

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const { TRANSCRIPT_DIR: folder } = process.env
const ports = new Set<number>()
let requests = 0

/** Records the requests that arrive at this port during the running test, if TRANSCRIPT_DIR is set. */
export function transcribe(port: number): void {
  if (!folder) return
  if (ports.size === 0) channel('http.server.request.start').subscribe(record)
  ports.add(port)
  onTestFinished(() => {
    ports.delete(port)
    if (ports.size === 0) channel('http.server.request.start').unsubscribe(record)
  })
}

function record(message: unknown): void {
  const { request, response } = message as Started
  const { method = '', url = '', headers, socket } = request
  if (!ports.has(socket.localPort ?? 0) || !url.includes('/trpc')) return
  const { testPath = '', currentTestName = '' } = expect.getState()
  const order = requests++
  const received: Buffer[] = []
  const sent: Buffer[] = []
  // The parser pushes the body, and both handlers write with these methods.
  request.push = copying(request.push, received)
  response.write = copying(response.write, sent)
  response.end = copying(response.end, sent)
  response.once('close', () => {
    const exchange: Exchange = {
      ...{ file: testPath, test: currentTestName, order, method, path: url, requestHeaders: headers },
      requestBody: textOf(received),
      response: response.writableFinished
        ? { head: String(Reflect.get(response, '_header')), body: textOf(sent) }
        : null,
    }
    appendFileSync(join(folder ?? '', `${process.pid}.jsonl`), `${JSON.stringify(exchange)}\n`)
  })
}

/** Ids and instants, which differ between any two runs, do not change the hash. */
function textOf(chunks: readonly Buffer[]): string {
  const text = Buffer.concat(chunks).toString()
  if (text.length <= MAX_BODY_LENGTH) return text
  const stable = text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'id').replace(/\b\d{13}\b/g, 'time')
  const sum = createHash('sha256').update(stable).digest('hex')
  return `${stable.slice(0, MAX_BODY_LENGTH / 10)}… ${stable.length} characters, sha256 ${sum}`
}

/** The same method, which also copies its first argument. */
function copying<Method extends (...parts: never[]) => unknown>(method: Method, copies: Buffer[]): Method {
  return new Proxy(method, {
    apply(target, owner, parts: unknown[]) {
      const [chunk] = parts
      if (typeof chunk === 'string') copies.push(Buffer.from(chunk))
      else if (chunk instanceof Uint8Array) copies.push(Buffer.from(chunk))
      return Reflect.apply(target, owner, parts)
    },
  })
}
