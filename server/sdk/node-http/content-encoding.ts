/** Decompresses responses that a proxy has compressed; the server itself does not compress them. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** A response that ends early, or whose data is damaged, ends with an error. */
export function decoded(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']
  if (encoding !== 'gzip' && encoding !== 'br') return message
  const { createBrotliDecompress, createGunzip } = process.getBuiltinModule('node:zlib')
  const { pipeline } = process.getBuiltinModule('node:stream')
  // The callback is needed, and has nothing to do: the readable side is destroyed with the error.
  return pipeline(message, encoding === 'gzip' ? createGunzip() : createBrotliDecompress(), () => {})
}
