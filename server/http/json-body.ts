/** The JSON of a request, read here or already by the application in which a face is mounted. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../shared/errors.ts'
import { readBody } from './body.ts'
import { requireJson } from './guards.ts'

export async function readJson(
  request: IncomingMessage & { readonly body?: unknown },
  maxBytes: number,
): Promise<unknown> {
  // express.json() and its like leave an empty object behind when they have read nothing: then the text is still to come.
  if (!request.readableDidRead) return parse(await readBody(request, maxBytes))
  const { body } = request
  if (Buffer.isBuffer(body)) return parse(body.toString())
  return typeof body === 'string' || body === undefined ? parse(body ?? '') : body
}

/** Acts such as a retry come without a body, and then without a content type. */
export function requireJsonBody(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding !== undefined || Number(length ?? 0) > 0) requireJson(request)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new QueueError('BAD_INPUT', 'Invalid JSON')
  }
}
