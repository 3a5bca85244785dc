/** The JSON of a request, read here or already by the application in which a face is mounted. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { requireKeptNumbers } from '../../../shared/json/exact-numbers.ts'
import { requireJson } from '../auth/guards.ts'
import { readBody } from './body.ts'

export async function readJson(
  request: IncomingMessage & { readonly body?: unknown },
  maxBytes: number,
): Promise<unknown> {
  const body = await bodyOf(request, maxBytes)
  return typeof body === 'string' ? parse(body) : body
}

/** The same as text, for who parses it later. */
export async function readText(
  request: IncomingMessage & { readonly body?: unknown },
  maxBytes: number,
): Promise<string> {
  const body = await bodyOf(request, maxBytes)
  if (typeof body !== 'string') return JSON.stringify(body)
  requireKeptNumbers(body)
  return body
}

async function bodyOf(request: IncomingMessage & { readonly body?: unknown }, maxBytes: number): Promise<unknown> {
  // express.json() and its like leave an empty object behind when they have read nothing: then the text is still to come.
  if (!request.readableDidRead) return readBody(request, maxBytes)
  const { body = '' } = request
  return Buffer.isBuffer(body) ? body.toString() : body
}

/** Acts such as a retry come without a body, and then without a content type. */
export function requireJsonBody(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding !== undefined || Number(length ?? 0) > 0) requireJson(request)
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    requireKeptNumbers(text)
    return value
  } catch (error) {
    throw error instanceof QueueError ? error : new QueueError('BAD_INPUT', 'Invalid JSON')
  }
}
