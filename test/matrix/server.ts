/** A server of the repository's build on a file of its own, for the projects to talk to. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './project.ts'

export interface MatrixServer {
  readonly url: string
  close(): Promise<void>
}

export async function startServer(folder: string): Promise<MatrixServer> {
  const env = { ...process.env, NODE_OPTIONS: '', PORT: '0', DB_PATH: join(folder, 'server.db'), DURABILITY: 'normal' }
  const child = spawn(process.execPath, [join(ROOT, 'dist/server/main.js')], { cwd: folder, env, stdio: 'pipe' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    const hear = (chunk: Buffer) => {
      text += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[0]
      if (found) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => reject(new Error(`The server did not start:\n${text}`)))
  })
  return {
    url,
    close: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
