/** Reads a request's body into text, up to a limit. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'

/** A body over the limit is read to its end and thrown away, so that its sender hears why; beyond this the line is cut. */
const LINGER_BYTES = 64 * 1024 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      const part: Buffer = chunk
      bytes += part.length
      if (bytes <= maxBytes) chunks.push(part)
      else chunks.length = 0
      if (bytes > maxBytes + LINGER_BYTES) request.socket.destroy()
    }
  } catch {
    throw new QueueError('BAD_INPUT', 'The connection ended before the request did; send it again.')
  }
  if (bytes > maxBytes) {
    throw new QueueError(
      'TOO_LARGE',
      `The request is ${bytes} bytes, more than ${maxBytes}; send fewer jobs at once, or raise MAX_BODY_BYTES.`,
    )
  }
  try {
    return utf8.decode(Buffer.concat(chunks))
  } catch {
    throw new QueueError('BAD_INPUT', 'The request is not UTF-8 text.')
  }
}
