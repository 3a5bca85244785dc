/** Starts a thread or a process from one of our own files, compiled or from source. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** `entry` is the file without its extension. From source, Node 20 needs tsx (a development dependency) in a thread. */
export function startThread(entry: URL, workerData: unknown): Worker {
  // What Node was told to begin the program with, such as --input-type or --import, is not meant for us.
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`${entry.href}.js`), { workerData, execArgv: [] })
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const file = JSON.stringify(`${entry.href}.ts`)
  return new Worker(`import(${tsx}).then((tsx) => tsx.tsImport(${file}, ${file}))`, { eval: true, workerData })
}

/** As `startThread`, for work inside a native call that has to end at once: a thread cannot be stopped there, a process can. */
export function startProcess(entry: URL, words: readonly string[]): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const execArgv = isSource ? ['--import', import.meta.resolve('tsx')] : []
  const file = fileURLToPath(new URL(`${entry.href}.${isSource ? 'ts' : 'js'}`))
  return fork(file, words, { execArgv, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}
