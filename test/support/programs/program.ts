/** The server as a child process, with its output and exit code. */
import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { compiled } from '../compiled/compiled.ts'

export interface Program {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves to the port; rejects if the process ends before it listens. */
  readonly listening: Promise<number>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** `through`: a wrapper command that executes the program given in its last arguments. */
export function startProgram(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Program {
  const [command = process.execPath, ...args] = [...through, process.execPath, compiled('server/main')]
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  const listening = new Promise<number>((resolve, reject) => {
    let isListening = false
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      const port = isListening ? undefined : /"port":(\d+).*"msg":"listening"/.exec(stdout)?.[1]
      if (port === undefined) return
      isListening = true
      resolve(Number(port))
    })
    ended.then((code) => reject(new Error(`the server ended with ${code}: ${stderr}`)))
  })
  // Tests of a failing start only await `ended`.
  listening.catch(() => {})
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, stdout: () => stdout, stderr: () => stderr, listening, ended }
}
