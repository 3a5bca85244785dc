/** Replaces server/base/threads.ts in tests (vitest.config.ts): starts compiled threads and processes. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { inject } from 'vitest'

export function startThread(entry: string, workerData: unknown): Worker {
  return new Worker(compiledFile(entry), { workerData, execArgv: [] })
}

export function startProcess(entry: string, args: readonly string[]): ChildProcess {
  return fork(compiledFile(entry), args, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}

function compiledFile(entry: string): string {
  return join(inject('compiled'), `${entry}.js`)
}

export function canStartThread(): boolean {
  return true
}
