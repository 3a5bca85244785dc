/** Reads the JSON body of a request, up to a limit, or takes it from a body parser that ran before. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { requireExactNumbers } from '../../../shared/json/exact-numbers.ts'

/** A body over the limit is read and discarded so that the client receives the error; beyond this many bytes the socket is closed. */
const LINGER_BYTES = 64 * 1024 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

type RequestWithBody = IncomingMessage & { readonly body?: unknown }

export async function readJson(request: RequestWithBody, maxBytes: number): Promise<unknown> {
  const body = await bodyOf(request, maxBytes)
  return typeof body === 'string' ? parse(body) : body
}

/** Returns the unparsed text. */
export async function readText(request: RequestWithBody, maxBytes: number): Promise<string> {
  const body = await bodyOf(request, maxBytes)
  if (typeof body !== 'string') return JSON.stringify(body)
  requireExactNumbers(body)
  return body
}

/** Requires a JSON content type on POST: browsers send other types from forms and images without a preflight request. */
export function requireJson(request: IncomingMessage): void {
  if (request.method !== 'POST') return
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    throw new QueueError(
      'NOT_JSON',
      `Send JSON with the header content-type: application/json, not ${type || 'nothing'}.`,
    )
  }
  if (encoding !== 'identity') {
    throw new QueueError('NOT_JSON', `Send the body as it is, not with content-encoding ${encoding}.`)
  }
}

/** As `requireJson`, for requests that may have no body, such as a retry. */
export function requireJsonBody(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding !== undefined || Number(length ?? 0) > 0) requireJson(request)
}

async function bodyOf(request: RequestWithBody, maxBytes: number): Promise<unknown> {
  // express.json() and similar parsers set an empty object even if they read nothing; the body is still unread then.
  if (!request.readableDidRead) return readBody(request, maxBytes)
  const { body = '' } = request
  return Buffer.isBuffer(body) ? body.toString() : body
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const { chunks, bytes } = await readChunks(request, maxBytes)
  if (bytes > maxBytes) {
    throw new QueueError(
      'TOO_LARGE',
      `The request is ${bytes} bytes, more than ${maxBytes}; send fewer jobs at once, or raise MAX_BODY_BYTES.`,
    )
  }
  try {
    const [first] = chunks
    return utf8.decode(chunks.length === 1 ? first : Buffer.concat(chunks))
  } catch {
    throw new QueueError('BAD_INPUT', 'The request is not UTF-8 text.')
  }
}

/** Listeners cost less than an iterator. Chunks over the limit are counted and dropped. */
function readChunks(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly chunks: readonly Buffer[]; readonly bytes: number }> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    const broken = () =>
      reject(new QueueError('BAD_INPUT', 'The connection ended before the request did; send it again.'))
    // A body parser may have read an empty body.
    if (request.readableEnded) return resolve({ chunks, bytes })
    if (request.destroyed) return broken()
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else chunks.length = 0
      if (bytes > maxBytes + LINGER_BYTES) request.socket.destroy()
    })
    request.on('end', () => resolve({ chunks, bytes }))
    request.on('error', broken)
    request.on('close', () => request.readableEnded || broken())
  })
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    requireExactNumbers(text)
    return value
  } catch (error) {
    throw error instanceof QueueError ? error : new QueueError('BAD_INPUT', 'Invalid JSON')
  }
}
