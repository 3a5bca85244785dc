/** A whole server under test, on a port of its own and a new database, with what it logged and a check that it lets go. */
import { describe, expect, onTestFinished } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { openLog } from '../../server/base/log.ts'
import { type Serving, serve } from '../../server/ops/serve.ts'
import { until } from './engine.ts'
import { DATABASES, type Database, type Place, type PlaceOptions } from './places.ts'

export type Settings = Readonly<Record<string, string>>

export interface TestServer extends Serving {
  readonly url: string
  /** Parsed lines of its log. */
  readonly logged: readonly Record<string, unknown>[]
  /** Everything it logged, as written. */
  readonly logText: () => string
  /** The database it runs on. */
  readonly place: Place
}

export interface StartOptions extends PlaceOptions {
  /** Left out unless a test brings one. */
  readonly pageFolder?: string
  /** A database that is there already, instead of a new one. */
  readonly place?: Place
}

/** Settings as in the environment; DURABILITY is understood on PostgreSQL too, as the choice of its server. */
export type StartServer = (settings?: Settings, options?: StartOptions) => Promise<TestServer>

/** The suite once per database, each time with servers on that one. */
export function describeServer(
  subject: string,
  define: (startServer: StartServer, database: Database) => void,
  databases = DATABASES,
): void {
  for (const database of databases) {
    describe(`${subject} (${database.name})`, () => define(startOn(database), database))
  }
}

export function startOn(database: Database): StartServer {
  return async (settings = {}, options = {}) => {
    const { place = await database.create(options), pageFolder = null, spoilt = false } = options
    const server = await start(place, settings, pageFolder)
    onTestFinished(() => end(server, spoilt))
    return server
  }
}

async function end(server: TestServer, spoilt: boolean): Promise<void> {
  await server.close()
  // A stream that was cut in the middle of a frame ends a moment later.
  await until(() => server.frames.watcherCount === 0)
  const { engine, logged } = server
  expect([engine.events.listenerCount, engine.load]).toEqual([0, { waitingClaims: 0, queuedWrites: 0 }])
  if (!spoilt) expect(logged.filter(({ msg }) => msg === 'trouble in the background')).toEqual([])
}

async function start(place: Place, settings: Settings, pageFolder: string | null): Promise<TestServer> {
  const durability = settings.DURABILITY === 'normal' ? 'normal' : 'full'
  const env = { ...settings, ...place.settings(durability), PORT: '0' }
  const lines: string[] = []
  const server = readServerConfig(env)
  const serving = await serve({
    config: readConfig(env),
    server,
    log: openLog(server.logLevel, { write: (line) => lines.push(line) }),
    pageFolder,
    onFatal: (error) => {
      throw error
    },
  })
  return {
    ...serving,
    url: `http://127.0.0.1:${serving.address.port}${server.basePath}`,
    get logged() {
      return lines.map((line) => JSON.parse(line))
    },
    logText: () => lines.join(''),
    place,
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON. */
  readonly body: unknown
}

/** One lone call, as curl would make it: mutations by POST, queries by GET. */
export async function call(
  { url }: Pick<TestServer, 'url'>,
  procedure: string,
  kind: 'query' | 'mutation',
  input?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const text = JSON.stringify(input)
  const response =
    kind === 'query'
      ? await fetch(`${url}/trpc/${procedure}${text === undefined ? '' : `?input=${encodeURIComponent(text)}`}`, {
          headers,
        })
      : await fetch(`${url}/trpc/${procedure}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: text ?? '',
        })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
