/** Starts a thread or process from a file of Millrace, compiled or from source. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { findOwnFile, isSource, ownFile } from './own-files.ts'

/** `entry` is a file of the build without its extension, `server/sdk/heartbeat-thread`. */
export function startThread(entry: string, workerData: unknown): Worker {
  // Node options of the main program, such as --input-type or --import, must not apply to the thread.
  if (!isSource()) return new Worker(compiledFile(entry), { workerData, execArgv: [] })
  // Node 20 needs tsx (a development dependency) in a thread.
  const tsx = JSON.stringify(resolvePackage('tsx/esm/api'))
  const file = JSON.stringify(sourceFile(entry).href)
  return new Worker(`import(${tsx}).then((tsx) => tsx.tsImport(${file}, ${file}))`, { eval: true, workerData })
}

/** As `startThread`, for long native calls: a thread cannot be stopped inside one, a process can. */
export function startProcess(entry: string, args: readonly string[]): ChildProcess {
  const execArgv = isSource() ? ['--import', resolvePackage('tsx')] : []
  const file = isSource() ? fileURLToPath(sourceFile(entry)) : compiledFile(entry)
  return fork(file, args, { execArgv, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}

/** False when a bundle lacks the thread's file. */
export function canStartThread(entry: string): boolean {
  return isSource() || findOwnFile(`${entry}.js`) !== null
}

function compiledFile(entry: string): string {
  return ownFile(`${entry}.js`, 'the files of its threads')
}

/** The name is a parameter, because webpack resolves literals. */
function resolvePackage(name: string): string {
  return import.meta.resolve(name)
}

function sourceFile(entry: string): URL {
  return new URL(`../../${entry}.ts`, import.meta.url)
}
