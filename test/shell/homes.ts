/** Where a queue can be for a worker: a file, PostgreSQL, or a server; each new, and open to the test as well. */
import { onTestFinished } from 'vitest'
import type { EnqueueInput } from '../../server/index.ts'
import type { Queue } from '../../server/queue/queue.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { type Place, postgres, sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'

export interface OpenHome {
  readonly url: string
  readonly queue: Queue
}

export interface Home {
  readonly name: string
  open(): Promise<OpenHome>
}

async function direct(place: Place): Promise<OpenHome> {
  const url = place.url()
  // A look from outside: upkeep is for the workers under test.
  const queue = await openQueue(url, { services: false })
  onTestFinished(() => queue.close())
  return { url, queue }
}

export const file: Home = { name: 'a file', open: async () => direct(await sqlite.create()) }

export const database: Home = { name: 'PostgreSQL', open: async () => direct(await postgres.create()) }

export const server: Home = {
  name: 'a server',
  async open() {
    const { url, engine } = await startOn(sqlite)({ COMMANDS_WITHOUT_TOKEN: 'allow' })
    return { url, queue: engine }
  },
}

export const HOMES: readonly Home[] = [file, database, server]

export async function addCommand(
  queue: Queue,
  payload: { readonly command: string; readonly cwd?: string },
  input: Partial<EnqueueInput> = {},
): Promise<string> {
  return (await queue.enqueue({ type: 'shell', kind: 'command', payload, ...input })).id
}

/** How each attempt of a job ended, oldest first. */
export async function outcomes(queue: Queue, id: string): Promise<readonly string[]> {
  return (await queue.attempts({ id })).map(({ outcome }) => outcome)
}
