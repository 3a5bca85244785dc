/** Network baseline: plain node:http that parses JSON requests and echoes them. */
import { createServer } from 'node:http'

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const answer = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
  response.end(answer)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) process.stderr.write(`API http://127.0.0.1:${address.port}/\n`)
})
