/** A reverse proxy that loses responses: the server has sent one, and the client's connection breaks before it arrives. */
import { createServer, request as forward } from 'node:http'
import { onTestFinished } from 'vitest'

export interface LossyProxy {
  readonly url: string
  /** Number of lost responses. */
  readonly lost: number
}

/** `isLost` is called with the request path of each response, after the server has sent it. */
export async function lossyProxy(port: number, isLost: (path: string) => Promise<boolean>): Promise<LossyProxy> {
  let lost = 0
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request
    const onward = forward({ port, host: '127.0.0.1', method, path: url, headers }, async (answer) => {
      const body: Buffer[] = []
      for await (const chunk of answer) body.push(Buffer.from(chunk))
      if (await isLost(url)) {
        lost += 1
        response.destroy()
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(body))
    })
    onward.on('error', () => response.destroy())
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
    get lost() {
      return lost
    },
  }
}
