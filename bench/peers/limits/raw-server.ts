/** The limit over the network, server side: node:http, one list of operations per request, SQLite with group commit. */
import { createServer, type IncomingMessage } from 'node:http'
import { GroupCommit, type RawJob } from './group-commit.ts'

export type RawOperation =
  | { readonly kind: 'enqueue'; readonly type: string; readonly payloads: readonly unknown[] }
  | { readonly kind: 'claim'; readonly type: string; readonly limit: number; readonly waits: boolean }
  | { readonly kind: 'complete'; readonly job: Pick<RawJob, 'id' | 'version'> }
  | { readonly kind: 'left'; readonly type: string }

const queue = new GroupCommit(process.env.RAW_DB ?? 'raw.db')

function run(operation: RawOperation): Promise<unknown> {
  switch (operation.kind) {
    case 'enqueue':
      return queue.enqueue(operation.type, operation.payloads)
    case 'claim': {
      const { type, limit, waits } = operation
      return waits ? queue.claim(type, limit) : queue.claimNow(type, limit)
    }
    case 'complete':
      return queue.complete({ ...operation.job, payload: null })
    case 'left':
      return queue.left(operation.type)
  }
}

async function read(request: IncomingMessage): Promise<readonly RawOperation[]> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const server = createServer(async (request, response) => {
  const outcomes = await Promise.all((await read(request)).map(run))
  const answer = JSON.stringify(outcomes.map((outcome) => outcome ?? null))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
  response.end(answer)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) process.stderr.write(`API http://127.0.0.1:${address.port}/\n`)
})
