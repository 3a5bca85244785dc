/** Transport with keep-alive connections of `node:http` and `node:https`. */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { UnexpectedResponse } from '../remote/server-errors.ts'
import type { Connect, Incoming, Sent } from '../remote/transport.ts'
import { decoded } from './content-encoding.ts'
import { KeepAliveAgent } from './keep-alive-agent.ts'

/** As `fetch` does: a proxy may compress large responses. */
const ACCEPT = { 'accept-encoding': 'gzip, br' }

export const nodeTransport: Connect = (url, common) => {
  const { protocol, hostname, port, pathname } = new URL(url)
  const { request } =
    protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
  const connections = new KeepAliveAgent(protocol)
  const target: RequestOptions = {
    method: 'POST',
    agent: connections.agent,
    // Without the brackets of an IPv6 address.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
  }
  return {
    post({ path, body, headers }) {
      const options = { ...target, path: `${pathname}/${path}`, headers: { ...ACCEPT, ...common, ...headers } }
      return sendRequest(() => request(options).end(body), connections.mustPoll)
    },
    close: () => connections.close(),
  }
}

function sendRequest(send: () => ClientRequest, mustPoll: boolean): Sent {
  let request: ClientRequest | null = null
  let isCancelled = false
  /** Rejects the promise that is pending: `response`, later that of the body. */
  let fail: (error: unknown) => void

  const response = new Promise<Incoming>((resolve, reject) => {
    fail = reject
    const start = () => {
      if (isCancelled) return
      // Throws for a token that no header can contain, which rejects the promise.
      request = send()
      request.on('response', (message) => {
        const { statusCode = 0, headers } = message
        if (statusCode < 300 || statusCode > 399) resolve(toIncoming(message, (rejectBody) => (fail = rejectBody)))
        else {
          // Following it would need a GET request or the token on another host.
          fail(new UnexpectedResponse(`sent HTTP ${statusCode} with a redirect to ${headers.location}`))
          message.destroy()
        }
      })
      request.on('error', (error) => fail(error instanceof AggregateError ? summary(error) : error))
    }
    // The first turn may be the end of this one; the event loop polls between the first and the second.
    if (mustPoll) setImmediate(() => setImmediate(start))
    else start()
  })

  return {
    response,
    cancel(reason = new Error('the request was cancelled')) {
      isCancelled = true
      fail(reason)
      request?.destroy()
    },
  }
}

/** `onFail` receives the function that rejects the body. */
function toIncoming(message: IncomingMessage, onFail: (fail: (error: unknown) => void) => void): Incoming {
  const { statusCode: status = 0, headers } = message
  const body = decoded(message)
  return {
    status,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    get body() {
      return process.getBuiltinModule('node:stream').Readable.toWeb(body)
    },
    text: () =>
      new Promise((resolve, reject) => {
        onFail(reject)
        readText(body, resolve, reject)
      }),
  }
}

function readText(body: Readable, resolve: (text: string) => void, reject: (error: Error) => void): void {
  const chunks: Buffer[] = []
  body.on('data', (chunk: Buffer) => chunks.push(chunk))
  body.on('end', () => resolve(Buffer.concat(chunks).toString()))
  body.on('error', () => reject(new Error('the connection was closed within the response')))
}

/** A name with several addresses, such as localhost, has one error each, and no message. */
function summary({ errors }: AggregateError): Error {
  return new Error(errors.map((error) => (error instanceof Error ? error.message : String(error))).join(', '))
}
