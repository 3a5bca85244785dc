/** What vitest.config.ts puts in the place of server/base/threads.ts: threads and processes begin from what is compiled. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { inject } from 'vitest'

export function startThread(entry: string, workerData: unknown): Worker {
  return new Worker(compiledFile(entry), { workerData, execArgv: [] })
}

export function startProcess(entry: string, words: readonly string[]): ChildProcess {
  return fork(compiledFile(entry), words, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}

function compiledFile(entry: string): string {
  return join(inject('compiled'), `${entry}.js`)
}

export function canStartThread(): boolean {
  return true
}
