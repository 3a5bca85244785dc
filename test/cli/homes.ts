/** The three homes of a queue: a file, PostgreSQL and a server. Every case of the command line runs on each. */
import { describe, onTestFinished } from 'vitest'
import type { Queue } from '../../server/queue/queue.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import type { ClaimedJob } from '../../shared/job.ts'
import { type Place, postgres, sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import { queuectl, type Ran, type Running, startQueuectl, type TerminalOptions } from './terminal.ts'

export type HomeKind = 'file' | 'postgres' | 'server'

export interface Home {
  readonly kind: HomeKind
  /** What lies behind it. */
  readonly place: Place
  /** What queuectl is told in the environment. */
  readonly env: Readonly<Record<string, string>>
  /** The same queue, for what workers and others do to it. */
  readonly queue: Queue
  ctl(...argv: readonly string[]): Promise<Ran>
  ctlWith(options: TerminalOptions, ...argv: readonly string[]): Promise<Ran>
  startCtl(options: TerminalOptions, ...argv: readonly string[]): Running
  /** Takes the only job there is of this type. */
  take(type?: string): Promise<ClaimedJob>
}

const HOMES: readonly { readonly name: string; readonly kind: HomeKind }[] = [
  { name: 'on a file', kind: 'file' },
  { name: 'on PostgreSQL', kind: 'postgres' },
  { name: 'at a server', kind: 'server' },
]

export function describeHomes(subject: string, define: (open: () => Promise<Home>, kind: HomeKind) => void): void {
  for (const { name, kind } of HOMES) describe(`${subject} ${name}`, () => define(() => openHome(kind), kind))
}

export async function openHome(kind: HomeKind): Promise<Home> {
  if (kind === 'server') {
    const server = await startOn(sqlite)({ COMMANDS_WITHOUT_TOKEN: 'allow' })
    const queue = await openQueue(server.url)
    return home(kind, server.place, { MILLRACE_URL: server.url }, queue)
  }
  const place = await (kind === 'file' ? sqlite : postgres).create()
  const queue = await openQueue(place.url(), { services: false })
  onTestFinished(() => queue.close())
  return home(kind, place, place.settings(), queue)
}

function home(kind: HomeKind, place: Place, env: Home['env'], queue: Queue): Home {
  const withEnv = (options: TerminalOptions) => ({ ...options, env: { ...env, ...options.env } })
  return {
    kind,
    place,
    env,
    queue,
    ctl: (...argv) => queuectl(argv, { env }),
    ctlWith: (options, ...argv) => queuectl(argv, withEnv(options)),
    startCtl: (options, ...argv) => startQueuectl(argv, withEnv(options)),
    async take(type = 'shell') {
      const [job] = await queue.claim({ worker: 'worker-1', types: [type] })
      if (!job) throw new Error(`there is no ${type} to take`)
      return job
    },
  }
}

/** The id that a command printed. */
export function idOf({ stdout }: Ran): string {
  return stdout.trim()
}
