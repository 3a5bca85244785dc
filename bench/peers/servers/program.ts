/** Runs an installed server program on a free loopback port in its own temporary folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const START_MS = 10_000
const TRY_AGAIN_MS = 20
/** Folders of servers that are not always on the PATH of a user. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin']

/** The system cannot be measured on this machine; the message is the reason. */
export class Missing extends Error {}

export interface Program {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export function findProgram(name: string): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS]
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (found === undefined) throw new Missing(`${name} is not installed`)
  return found
}

/** First match of `pattern` in what the program prints about its version. */
export function versionOfProgram(program: string, option: string, pattern: RegExp): string {
  const { stdout, stderr } = spawnSync(program, [option], { encoding: 'utf8' })
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown'
}

export async function startProgram(
  program: string,
  cwd: string,
  optionsOf: (port: number) => readonly string[],
): Promise<Program> {
  const port = await freePort()
  const child = spawn(program, optionsOf(port), { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', () => {})
  await untilListening(child, port)
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      process.off('exit', kill)
      kill()
      await ended
    },
  }
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const endsAt = performance.now() + START_MS
  while (performance.now() < endsAt && child.exitCode === null) {
    if (await isListening(port)) return
    await sleep(TRY_AGAIN_MS)
  }
  child.kill('SIGKILL')
  throw new Missing(`${child.spawnfile} did not start`)
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', end(true)).once('error', end(false))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
