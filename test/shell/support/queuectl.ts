/** Runs the real queuectl as a process, with its output and exit code. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { compiled } from '../../support/compiled/compiled.ts'
import { tempFolder } from '../../support/temp.ts'

export interface WorkerLine {
  readonly kind: string
  readonly worker: string
  readonly line: string
  readonly id?: string
  readonly status?: string
}

export interface Workers {
  readonly child: ChildProcess
  /** The first matching event, past or future; rejects when the program exits before. */
  waitFor(matches: (event: WorkerLine) => boolean): Promise<WorkerLine>
  readonly events: readonly WorkerLine[]
  stderr(): string
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

export interface Ran {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

type Variables = Readonly<Record<string, string>>

export interface Queuectl {
  run(url: string, ...args: readonly string[]): Promise<Ran>
  /** `worker start`, with its events; killed at the end of the test. */
  startWorkers(url: string, ...args: readonly string[]): Promise<Workers>
  startWorkersWith(env: Variables, url: string, ...args: readonly string[]): Promise<Workers>
}

export const queuectl: Queuectl = {
  async run(url, ...args) {
    const child = await start(url, args)
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { exitCode, stdout: stdout(), stderr: stderr() }
  },
  async startWorkers(url, ...args) {
    return listen(await start(url, ['--json', 'worker', 'start', ...args]))
  },
  async startWorkersWith(variables, url, ...args) {
    return listen(await start(url, ['--json', 'worker', 'start', ...args], variables))
  },
}

async function start(url: string, args: readonly string[], variables: Variables = {}): Promise<ChildProcess> {
  const cwd = await tempFolder()
  const env = { PATH: process.env.PATH, ...variables }
  const program = [compiled('server/cli/main'), '--url', url, ...args]
  return spawn(process.execPath, program, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = ''
  stream?.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

function listen(child: ChildProcess): Workers {
  const stderr = collect(child.stderr)
  const events: WorkerLine[] = []
  const listeners = new Set<() => void>()
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  )
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      events.push(JSON.parse(line))
      for (const look of listeners) look()
    })
  }
  onTestFinished(async () => {
    // The third signal kills all workers. Different signals are not merged into one.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) child.kill(signal)
    await ended
  })
  return {
    child,
    events,
    stderr,
    ended,
    waitFor: (matches) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(matches)
          if (found) resolve(found)
        }
        listeners.add(look)
        look()
        ended.then((how) => reject(new Error(`it ended (${how}) without it: ${JSON.stringify(events)} ${stderr()}`)))
      }),
  }
}
