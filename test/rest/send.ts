/** Sends requests to the REST adapters, over HTTP or directly on an engine. */
import type { Engine } from '../../server/engine/engine.ts'
import type { RestRequest, RestResponse } from '../../server/http/rest/adapter.ts'
import type { Database } from '../support/places.ts'
import { describeServer, type StartServer } from '../support/server.ts'

export interface RestResult {
  readonly status: number
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown
  readonly headers: Headers
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** A suite of the REST adapters, once per database, without fsync to save time. */
export function describeRest(subject: string, define: (startServer: StartServer, database: Database) => void): void {
  describeServer(subject, (startServer, database) => {
    define((settings = {}, options = {}) => startServer({ DURABILITY: 'normal', ...settings }, options), database)
  })
}

/** Sends `body` as JSON; a string is sent unchanged. */
export async function send(
  { url }: { readonly url: string },
  request: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RestResult> {
  const [method = '', path = ''] = request.split(' ')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${url}${path}`, {
    method,
    headers: text === undefined ? headers : { ...JSON_TYPE, ...headers },
    ...(text === undefined ? {} : { body: text }),
    redirect: 'manual',
  })
  const received = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: received === '' ? undefined : JSON.parse(received),
  }
}

/** `[status, body]`, for tables of cases. */
export async function outcome(...args: Parameters<typeof send>): Promise<[number, unknown]> {
  const { status, body } = await send(...args)
  return [status, body]
}

/** A request to an adapter without HTTP. */
export function restRequest(request: string, body?: unknown): RestRequest {
  const [method = '', address = ''] = request.split(' ')
  const [path = '', query = ''] = address.split('?')
  return {
    method,
    path: path.split('/').filter((part) => part !== ''),
    query: new URLSearchParams(query),
    body: async () => body,
    signal: new AbortController().signal,
  }
}

export async function bodyOf<Body>(response: Promise<RestResponse>): Promise<Body> {
  return (await response).body as Body
}

/** An engine with the `stored` verb of the adapters. */
export function verbsOf(engine: Engine) {
  return { ...engine, stored: engine.get }
}
