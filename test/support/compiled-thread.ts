/** What vitest.config.ts puts in the place of server/start-thread.ts: threads begin from what is compiled. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { inject } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export function startThread(entry: URL, workerData: unknown): Worker {
  return new Worker(join(inject('compiled'), `${fileURLToPath(entry).slice(ROOT.length)}.js`), {
    workerData,
    execArgv: [],
  })
}
