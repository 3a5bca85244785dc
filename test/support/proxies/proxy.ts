/** A reverse proxy that can respond with 502, as if its server were down. */
import { createServer, request as forward, type Server } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Proxy {
  readonly url: string
  /** Closes all connections and answers requests with 502. */
  goDown(): void
  comeBack(): void
}

export async function reverseProxy(port: number): Promise<Proxy> {
  let isDown = false
  const server: Server = createServer((request, response) => {
    if (isDown) {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
      return
    }
    const { method, url, headers } = request
    const onward = forward({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    goDown() {
      isDown = true
      server.closeAllConnections()
    },
    comeBack() {
      isDown = false
    },
  }
}
