/** Runs each queuectl test on three backends: a file, PostgreSQL and a server. */
import { describe, onTestFinished } from 'vitest'
import { openQueue } from '../../server/sdk/open-queue.ts'
import type { ClaimedJob } from '../../shared/job.ts'
import type { Queue } from '../../shared/queue.ts'
import { type Place, postgres, sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import { queuectl, type Ran, type Running, startQueuectl, type TerminalOptions } from './terminal.ts'

export type BackendKind = 'file' | 'postgres' | 'server'

export interface Backend {
  readonly kind: BackendKind
  /** The database of the backend. */
  readonly place: Place
  /** Environment that selects the queue. */
  readonly env: Readonly<Record<string, string>>
  /** The same queue, for the worker and producer side of a test. */
  readonly queue: Queue
  ctl(...argv: readonly string[]): Promise<Ran>
  ctlWith(options: TerminalOptions, ...argv: readonly string[]): Promise<Ran>
  startCtl(options: TerminalOptions, ...argv: readonly string[]): Running
  /** Claims the only job of this type. */
  take(type?: string): Promise<ClaimedJob>
}

const BACKENDS: readonly { readonly name: string; readonly kind: BackendKind }[] = [
  { name: 'on a file', kind: 'file' },
  { name: 'on PostgreSQL', kind: 'postgres' },
  { name: 'through a server', kind: 'server' },
]

export function describeBackends(
  subject: string,
  define: (open: () => Promise<Backend>, kind: BackendKind) => void,
): void {
  for (const { name, kind } of BACKENDS) describe(`${subject} ${name}`, () => define(() => openBackend(kind), kind))
}

export async function openBackend(kind: BackendKind): Promise<Backend> {
  if (kind === 'server') {
    const server = await startOn(sqlite)({ COMMANDS_WITHOUT_TOKEN: 'allow' })
    const queue = await openQueue(server.url)
    return backend(kind, server.place, { MILLRACE_URL: server.url }, queue)
  }
  const place = await (kind === 'file' ? sqlite : postgres).create()
  const queue = await openQueue(place.url(), { services: false })
  onTestFinished(() => queue.close())
  return backend(kind, place, place.settings(), queue)
}

function backend(kind: BackendKind, place: Place, env: Backend['env'], queue: Queue): Backend {
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
      if (!job) throw new Error(`no ${type} job to claim`)
      return job
    },
  }
}

/** The id that a command printed. */
export function idOf({ stdout }: Ran): string {
  return stdout.trim()
}
