/** What a REST face is asked and what it answers, whichever way both travel; and how a refusal looks. */
import { ERRORS, QueueError } from '../../../shared/errors.ts'

export interface Asked {
  readonly method: string
  /** The parts of the path, decoded; one that cannot be decoded stays as it is. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  /** The parsed JSON of the request; refuses what is none. */
  readonly body: () => Promise<unknown>
  /** Aborted when whoever asked is gone. */
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  /** Sent as JSON; left out of answers that have none. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Takes back what was handed out when the answer could not be sent. */
  readonly undelivered?: () => Promise<unknown>
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Handlers = Partial<Record<Method, () => Promise<Answer>>>

/** HEAD is not GET here: nobody would see what it claims. */
export function byMethod({ method }: Asked, handlers: Handlers): Promise<Answer> {
  const allowed: readonly string[] = Object.keys(handlers)
  const handler = isMethod(method) ? handlers[method] : undefined
  if (handler) return handler()
  const error = `${method} is not for this address; use ${allowed.join(' or ')}.`
  return Promise.resolve({ status: ERRORS.WRONG_METHOD.http, headers: { allow: allowed.join(', ') }, body: { error } })
}

function isMethod(method: string): method is Method {
  return ['GET', 'POST', 'PUT', 'DELETE'].includes(method)
}

export function nothingHere(what: string): Promise<never> {
  return Promise.reject(new QueueError('NOT_FOUND', `There is nothing here; ${what}`))
}

/** What database and code say about themselves is for the log. */
export function refusalAnswer(error: QueueError): Answer {
  const { code, message, details } = error
  const isOurs = code === 'INTERNAL' || code === 'STORE_FAILED'
  const { retryAfterMs } = details
  const headers = {
    ...(code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer realm="millrace"' }),
    ...(typeof retryAfterMs === 'number' && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
  }
  const text = isOurs ? 'The server failed at this request; its log says why.' : message
  return { status: ERRORS[code].http, headers, body: { error: text } }
}

/** The queue speaks of types and payloads; a face has names of its own for them. */
export async function inWords<Value>(
  names: Readonly<Record<string, string>>,
  call: () => Promise<Value>,
): Promise<Value> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof QueueError) || error.code === 'FORBIDDEN') throw error
    const message = error.message.replace(/(^|; )([\w.]+?)(?=:| is | contains | must )/g, (found, before, name) =>
      name in names ? `${before}${names[name]}` : found,
    )
    throw new QueueError(error.code, message, error.details)
  }
}
