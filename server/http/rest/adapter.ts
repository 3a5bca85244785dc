/** Request and response types of the REST adapters, and their error responses. */
import { z } from 'zod'
import { ERRORS, FieldError, QueueError } from '../../../shared/errors.ts'
import { inputError } from '../../../shared/verbs/parse-input.ts'
import { INTERNAL_MESSAGE } from '../requests/error-response.ts'

export interface RestRequest {
  readonly method: string
  /** Decoded path segments; a segment that cannot be decoded is kept as it is. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  /** Reads and parses the JSON body; rejects if it is not JSON. */
  readonly body: () => Promise<unknown>
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal
}

export interface RestResponse {
  readonly status: number
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Called when the response could not be sent: releases the jobs that it contains. */
  readonly onUndelivered?: () => Promise<unknown>
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Handlers = Partial<Record<Method, () => Promise<RestResponse>>>

/** HEAD is not treated as GET: a GET may claim jobs, and a HEAD response has no body to deliver them. */
export function byMethod({ method }: RestRequest, handlers: Handlers): Promise<RestResponse> {
  const allowed: readonly string[] = Object.keys(handlers)
  const handler = isMethod(method) ? handlers[method] : undefined
  if (handler) return handler()
  const error = `${method} is not for this address; use ${allowed.join(' or ')}.`
  return Promise.resolve({ status: ERRORS.WRONG_METHOD.http, headers: { allow: allowed.join(', ') }, body: { error } })
}

function isMethod(method: string): method is Method {
  return ['GET', 'POST', 'PUT', 'DELETE'].includes(method)
}

/** `hint` names the routes that exist. */
export function noSuchRoute(hint: string): Promise<never> {
  return Promise.reject(new QueueError('NOT_FOUND', `There is nothing here; ${hint}`))
}

/** Messages of internal errors are only logged. */
export function errorResponse(error: QueueError): RestResponse {
  const { code, message, details } = error
  const isInternal = code === 'INTERNAL' || code === 'STORE_FAILED'
  const { retryAfterMs } = details
  const headers = {
    ...(code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer realm="millrace"' }),
    ...(typeof retryAfterMs === 'number' && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
  }
  return { status: ERRORS[code].http, headers, body: { error: isInternal ? INTERNAL_MESSAGE : message } }
}

type FieldNames = Readonly<Record<string, string>>

/** Runs a call of the queue. Errors about its fields are thrown with the adapter's names, such as `data` for `payload`. */
export async function withFieldNames<Value>(names: FieldNames, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof QueueError ? renameFields(error, names) : error
  }
}

const inputDetails = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) })

function renameFields(error: QueueError, names: FieldNames): QueueError {
  const rename = (name: string) => names[name] ?? name
  if (error instanceof FieldError) return new FieldError(error.code, rename(error.field), error.problem, error.details)
  const { success, data } = inputDetails.safeParse(error.details)
  if (!success) return error
  return inputError(data.issues.map(({ path, message }) => ({ path: rename(path), message })))
}
