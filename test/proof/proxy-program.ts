/** Runs a reverse proxy program for one test, on a free port. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { onTestFinished, vi } from 'vitest'

/** Resolves when `url` responds; stops with the test. */
export async function startProxy(
  command: string,
  args: readonly string[],
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', () => {})
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null || child.pid === undefined) throw new Error(`${command} did not start: ${output}`)
      await fetch(url)
    },
    { timeout: 10_000 },
  )
  return url
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}
