/** The server as a program of its own: started, listened to, and ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { compiled } from './compiled/compiled.ts'

export interface Program {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** When it listens; fails if it ends before. */
  readonly listening: Promise<number>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** `through`: a command that ends by becoming the program, whose words follow its own. */
export function startProgram(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Program {
  const [command = process.execPath, ...words] = [...through, process.execPath, compiled('server/main')]
  const child = spawn(command, words, {
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
    let heard = false
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      const port = heard ? undefined : /"port":(\d+).*"msg":"listening"/.exec(stdout)?.[1]
      if (port === undefined) return
      heard = true
      resolve(Number(port))
    })
    ended.then((code) => reject(new Error(`it ended with ${code}: ${stderr}`)))
  })
  // Programs that are meant to fail are asked for their end alone.
  listening.catch(() => {})
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, stdout: () => stdout, stderr: () => stderr, listening, ended }
}
