/** Reader thread: runs one read at a time on a read-only connection. */
import { parentPort, workerData } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { QueueError } from '../../../../shared/errors.ts'
import { openSqliteClient } from '../connection/driver.ts'
import { isDamage } from '../connection/sqlite-errors.ts'
import { createReads } from '../reads/reads.ts'
import { type Request, type Response, type ThreadData, type ThreadReads, toErrorData } from './reader-protocol.ts'

const BUSY_TIMEOUT_MS = 250
const CACHE_KIB = 32_768

if (parentPort) serve(parentPort, workerData)

function serve(port: NonNullable<typeof parentPort>, data: ThreadData): void {
  let now = 0
  let reads: ThreadReads | null = null
  port.on('message', (request: Request) => {
    now = request.now
    const read = (): unknown => {
      reads ??= open(data, () => now)
      return run(reads, request)
    }
    port.postMessage(respond(request.id, read))
  })
}

/** Opened with the first request, so that damage found here is its response; retried with the next one. */
function open({ file, defaults, searchBudgetMs }: ThreadData, now: () => number): ThreadReads {
  let client: Database.Database | null = null
  try {
    client = openSqliteClient(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    client.pragma('query_only = 1')
    client.pragma(`cache_size = -${CACHE_KIB}`)
    client.pragma('temp_store = MEMORY')
    return createReads(client, { now, defaults, searchBudgetMs })
  } catch (error) {
    client?.close()
    if (isDamage(error)) throw error
    throw new QueueError('BUSY', `The reader thread could not start (${toErrorData(error).message}); try again.`)
  }
}

function respond(id: number, read: () => unknown): Response {
  try {
    return { id, ok: true, value: read() }
  } catch (error) {
    return { id, ok: false, error: toErrorData(error) }
  }
}

function run(reads: ThreadReads, request: Request): unknown {
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
      return reads.oldestReady(request.params)
    case 'groupTotals':
      return reads.groupTotals()
    case 'groupKeys':
      return reads.groupKeys(request.params)
    case 'activity':
      return reads.activity(request.params)
  }
}
