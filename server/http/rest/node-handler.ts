/** Carries a face over Node's own request and response: what Express, Fastify, Next.js and plain servers all hand over. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { type Answer, type Asked, refusalAnswer } from './adapter.ts'

export interface Carrying {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What to leave off the front of the address. */
  readonly prefix?: string
  /** The parsed JSON of the request, or a refusal. */
  readonly readJson: () => Promise<unknown>
  /** Faults of ours, which the answer does not tell. */
  readonly report: (error: unknown) => void
}

/** Answers whatever happens; gives what was answered, for the log. */
export async function carry(carrying: Carrying, answer: (asked: Asked) => Promise<Answer>): Promise<Answer> {
  const { request, response, prefix = '', readJson, report } = carrying
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const asked = {
    ...addressOf(request.url ?? '', prefix),
    method: request.method ?? '',
    body: readJson,
    signal: gone.signal,
  }
  const given = await answer(asked).catch((error: unknown) => refused(error, report))
  send(carrying, given)
  return given
}

function refused(error: unknown, report: (error: unknown) => void): Answer {
  const refusal = error instanceof QueueError ? error : new QueueError('INTERNAL', 'The request failed.')
  const answer = refusalAnswer(refusal)
  if (refusal !== error || answer.status === 500) report(error)
  return answer
}

function send({ request, response, report }: Carrying, answer: Answer): void {
  const { status, headers = {}, body, undelivered } = answer
  // Node counts a response as finished, and confirms its writes, also when the connection broke in the middle of it.
  let isSent = false
  const takeBack = () => {
    if (!isSent) undelivered?.().catch(report)
  }
  if (response.closed) {
    takeBack()
    return
  }
  response.once('close', takeBack)
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  // A claim is no answer to keep.
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store')
  if (body === undefined) {
    response.end()
    return
  }
  const text = Buffer.from(JSON.stringify(body))
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', text.length)
  response.write(text, (error) => {
    isSent = !error && !request.socket.destroyed
  })
  response.end()
}

/** What stands behind the point where the face was mounted. */
function addressOf(url: string, prefix: string): Pick<Asked, 'path' | 'query'> {
  // Requests made for a proxy name the whole address.
  const [whole, query] = split(url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ''), '?')
  const path = whole.startsWith(prefix) ? whole.slice(prefix.length) : whole
  const parts = path.split('/').filter((part) => part !== '')
  return { path: parts.map(decode), query: new URLSearchParams(query) }
}

function split(text: string, at: string): [string, string] {
  const place = text.indexOf(at)
  return place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place + 1)]
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
