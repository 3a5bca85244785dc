/** Network baseline for tRPC clients: plain node:http that returns the input as the result of any procedure. */
import { createServer, type IncomingMessage } from 'node:http'

async function inputOf(request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET') {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    return JSON.parse(searchParams.get('input') ?? 'null')
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const server = createServer(async (request, response) => {
  const answer = JSON.stringify({ result: { data: await inputOf(request) } })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
  response.end(answer)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) process.stderr.write(`API http://127.0.0.1:${address.port}/\n`)
})
