/** Backends of a shell worker: file, PostgreSQL, server. Each is new and open to the test. */
import { onTestFinished } from 'vitest'
import type { EnqueueInput } from '../../../server/index.ts'
import { openQueue } from '../../../server/sdk/open-queue.ts'
import type { Queue } from '../../../shared/queue.ts'
import { type Place, postgres, sqlite } from '../../support/places.ts'
import { startOn } from '../../support/server.ts'

export interface OpenHome {
  readonly url: string
  readonly queue: Queue
}

export interface ShellBackend {
  readonly name: string
  open(): Promise<OpenHome>
}

async function direct(place: Place): Promise<OpenHome> {
  const url = place.url()
  // Without services: the workers under test run them.
  const queue = await openQueue(url, { services: false })
  onTestFinished(() => queue.close())
  return { url, queue }
}

export const file: ShellBackend = { name: 'a file', open: async () => direct(await sqlite.create()) }

export const database: ShellBackend = { name: 'PostgreSQL', open: async () => direct(await postgres.create()) }

export const server: ShellBackend = {
  name: 'a server',
  async open() {
    const { url, engine } = await startOn(sqlite)({ COMMANDS_WITHOUT_TOKEN: 'allow' })
    return { url, queue: engine }
  },
}

export const BACKENDS: readonly ShellBackend[] = [file, database, server]

export async function addCommand(
  queue: Queue,
  payload: { readonly command: string; readonly cwd?: string },
  input: Partial<EnqueueInput> = {},
): Promise<string> {
  return (await queue.enqueue({ type: 'shell', kind: 'command', payload, ...input })).id
}

/** Outcomes of the attempts of a job, oldest first. */
export async function outcomes(queue: Queue, id: string): Promise<readonly string[]> {
  return (await queue.attempts({ id })).map(({ outcome }) => outcome)
}
