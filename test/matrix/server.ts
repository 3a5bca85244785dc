/** A server from the repository's build on a new file, for the projects. */
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
    const onOutput = (chunk: Buffer) => {
      text += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[0]
      if (found) resolve(found)
    }
    child.stdout.on('data', onOutput)
    child.stderr.on('data', onOutput)
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
