/** Starts a server as a child process and reads the address of its API from stderr. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ServerChild {
  readonly url: string
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** The compiled server of Millrace. */
export const SERVER = new URL('../../server/main.js', import.meta.url)

export async function startChild(
  program: URL,
  cwd: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerChild> {
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    cwd,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => child.kill()
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let stderr = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      const found = /API +(http:\S+)\s/.exec(stderr)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(`${program.pathname} did not start: ${stderr}`)))
  })
  return {
    url,
    pid: child.pid,
    async stop() {
      process.off('exit', kill)
      kill()
      await ended
    },
  }
}
