/** What vitest.config.ts puts in the place of server/start-thread.ts: threads and processes begin from what is compiled. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { inject } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export function startThread(entry: URL, workerData: unknown): Worker {
  return new Worker(compiledFile(entry), { workerData, execArgv: [] })
}

export function startProcess(entry: URL, words: readonly string[]): ChildProcess {
  return fork(compiledFile(entry), words, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}

function compiledFile(entry: URL): string {
  return join(inject('compiled'), `${fileURLToPath(entry).slice(ROOT.length)}.js`)
}
