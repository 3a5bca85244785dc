/** Reverse proxy that forwards every header and appends X-Forwarded-For with one client address. */
import { createServer, request as forward } from 'node:http'
import { onTestFinished } from 'vitest'

const MAX_HEADER_BYTES = 65_536

export async function forwardingProxy(upstream: string, client: string): Promise<string> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const headers = [...request.rawHeaders, 'X-Forwarded-For', client]
    const onward = forward(upstream, { method: request.method, path: request.url, headers }, (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
      upstreamResponse.pipe(response)
    })
    onward.once('error', () => response.destroy())
    request.pipe(onward)
  })
  server.maxHeadersCount = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  return `http://127.0.0.1:${address.port}`
}
