/** The reader thread: answers one question at a time from a connection that cannot write. */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { type Request, type Response, type ThreadData, type ThreadReads, toErrorData } from './reader-protocol.ts'
import { createReads } from './reads.ts'

const BUSY_TIMEOUT_MS = 250
const CACHE_KIB = 32_768

if (parentPort) serve(parentPort, workerData)

function serve(port: NonNullable<typeof parentPort>, { file, defaults, searchBudgetMs }: ThreadData): void {
  const client = open(file)
  client.pragma('query_only = 1')
  client.pragma(`cache_size = -${CACHE_KIB}`)
  client.pragma('temp_store = MEMORY')
  let now = 0
  const reads = createReads(client, { now: () => now, defaults, searchBudgetMs })

  port.on('message', (request: Request) => {
    now = request.now
    port.postMessage(answer(reads, request))
  })
}

function open(file: string): Database.Database {
  try {
    return new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
  } catch (error) {
    // An error of better-sqlite3 would lose its message on the way to the main thread.
    throw new Error(toErrorData(error).message)
  }
}

function answer(reads: ThreadReads, request: Request): Response {
  try {
    return { id: request.id, ok: true, value: ask(reads, request) }
  } catch (error) {
    return { id: request.id, ok: false, error: toErrorData(error) }
  }
}

function ask(reads: ThreadReads, request: Request): unknown {
  switch (request.method) {
    case 'list':
      return reads.list(request.params)
    case 'match':
      return reads.match(request.params)
    case 'countMatches':
      return reads.countMatches(request.params)
    case 'failureGroups':
      return reads.failureGroups(request.params)
    case 'minutes':
      return reads.minutes(request.params)
    case 'depths':
      return reads.depths(request.params)
    case 'oldestReady':
      return reads.oldestReady()
  }
}
