/**
 * Vitest global setup: one PostgreSQL server per run, started with the first database request, and a second one from the PostgreSQL
 * that is installed on this machine, for tests that run on both.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { TestProject } from 'vitest/node'
import { postgresInstalled } from '../../../scripts/postgres.mjs'
import { Databases } from './databases.ts'
import { type PostgresOrigin, startPostgres } from './server.ts'

interface Running {
  readonly databases: Databases
  stop(): Promise<void>
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = new Map<string, Promise<Running>>()
  const secret = randomUUID()

  async function handle(request: IncomingMessage): Promise<unknown> {
    const [, key, origin = '', verb, argument = ''] = request.url?.split('/') ?? []
    if (key !== secret) throw new Error('wrong secret')
    const server = running.get(origin) ?? (origin === 'installed' ? startServer('installed') : start())
    running.set(origin, server)
    const { databases } = await server
    return verb === 'take' ? databases.take(argument === 'bare') : databases.give(argument)
  }

  const desk = createServer((request, response) => {
    handle(request).then(
      (value) => response.end(JSON.stringify(value ?? null)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve))
  desk.unref()
  const address = desk.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  project.provide('postgresDesk', `http://127.0.0.1:${address.port}/${secret}`)
  // If all tests run on another server than npm's, there is no second one.
  const hasOther = !process.env.TEST_DATABASE_URL && !process.env.TEST_POSTGRES && postgresInstalled() !== undefined
  project.provide('hasInstalledPostgres', hasOther)

  return async () => {
    desk.close()
    desk.closeAllConnections()
    for (const server of running.values()) {
      // The tests have already reported a server that did not start.
      await server.then(
        ({ stop }) => stop(),
        () => {},
      )
    }
  }
}

/** The server of the tests: TEST_DATABASE_URL, the installed one on request, else npm's. */
async function start(): Promise<Running> {
  const own = process.env.TEST_DATABASE_URL
  if (own) {
    const databases = await Databases.open(own)
    return { databases, stop: () => databases.close() }
  }
  return startServer(process.env.TEST_POSTGRES === 'installed' ? 'installed' : 'npm')
}

async function startServer(origin: PostgresOrigin): Promise<Running> {
  const server = await startPostgres({}, origin)
  // Stopping the server removes all databases.
  return { databases: await Databases.open(server.url), stop: server.stop }
}
