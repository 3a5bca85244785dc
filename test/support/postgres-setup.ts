/** Vitest's global setup: one PostgreSQL for the whole run, started when the first test asks for a database. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { TestProject } from 'vitest/node'
import { Databases } from './postgres-databases.ts'
import { startPostgres } from './postgres-server.ts'

interface Running {
  readonly databases: Databases
  stop(): Promise<void>
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<Running> | undefined
  const secret = randomUUID()

  async function answer(request: IncomingMessage): Promise<unknown> {
    const [, key, verb, argument = ''] = request.url?.split('/') ?? []
    if (key !== secret) throw new Error('not for you')
    running ??= start()
    const { databases } = await running
    return verb === 'take' ? databases.take(argument === 'bare') : databases.give(argument)
  }

  const desk = createServer((request, response) => {
    answer(request).then(
      (value) => response.end(JSON.stringify(value ?? null)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve))
  desk.unref()
  const address = desk.address()
  if (typeof address !== 'object' || address === null) throw new Error('the desk has no port')
  project.provide('postgresDesk', `http://127.0.0.1:${address.port}/${secret}`)

  return async () => {
    desk.close()
    desk.closeAllConnections()
    // One that did not start has said so to the tests that asked.
    await running?.then(
      ({ stop }) => stop(),
      () => {},
    )
  }
}

async function start(): Promise<Running> {
  const own = process.env.TEST_DATABASE_URL
  if (own) {
    const databases = await Databases.open(own)
    return { databases, stop: () => databases.close() }
  }
  const server = await startPostgres()
  // All databases go with the server.
  return { databases: await Databases.open(server.url), stop: server.stop }
}
