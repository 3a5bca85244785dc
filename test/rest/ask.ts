/** Requests to the REST faces, as any program would make them, and faces on an engine whose clock stands still. */
import type { Engine } from '../../server/engine/engine.ts'
import type { Answer, Asked } from '../../server/http/rest/adapter.ts'
import type { Database } from '../support/places.ts'
import { describeServer, type StartServer } from '../support/server.ts'

export interface Given {
  readonly status: number
  /** Parsed JSON; undefined when there is none. */
  readonly body: unknown
  readonly headers: Headers
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** A suite of the faces, once per database; what depends on the disk's pace is not under test, so it is not waited for. */
export function describeRest(subject: string, define: (startServer: StartServer, database: Database) => void): void {
  describeServer(subject, (startServer, database) => {
    define((settings = {}, options = {}) => startServer({ DURABILITY: 'normal', ...settings }, options), database)
  })
}

/** `body` is sent as JSON; a string is sent as it is. */
export async function ask(
  { url }: { readonly url: string },
  request: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Given> {
  const [method = '', path = ''] = request.split(' ')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${url}${path}`, {
    method,
    headers: text === undefined ? headers : { ...JSON_TYPE, ...headers },
    ...(text === undefined ? {} : { body: text }),
    redirect: 'manual',
  })
  const answer = await response.text()
  return { status: response.status, headers: response.headers, body: answer === '' ? undefined : JSON.parse(answer) }
}

/** `[status, body]`: what a table of cases compares. */
export async function outcome(...asked: Parameters<typeof ask>): Promise<[number, unknown]> {
  const { status, body } = await ask(...asked)
  return [status, body]
}

/** A question to a face without any HTTP. */
export function asked(request: string, body?: unknown): Asked {
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

export async function bodyOf<Body>(answer: Promise<Answer>): Promise<Body> {
  return (await answer).body as Body
}

/** An engine is a queue; what a request has stored it may read. */
export function verbsOf(engine: Engine) {
  return { ...engine, stored: engine.get }
}
