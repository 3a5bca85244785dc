/** A complete server under test, on a free port and a new database, with its log and a check for leaks. */
import { describe, expect, onTestFinished } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { openLog } from '../../server/base/log.ts'
import { type Serving, serve } from '../../server/ops/serve.ts'
import { until } from './engine.ts'
import { DATABASES, type Database, type Place, type PlaceOptions } from './places.ts'
import { transcribe } from './transcript.ts'

export type Settings = Readonly<Record<string, string>>

export interface TestServer extends Serving {
  readonly url: string
  /** Parsed log lines. */
  readonly logged: readonly Record<string, unknown>[]
  /** The raw log. */
  readonly logText: () => string
  /** The database it runs on. */
  readonly place: Place
}

export interface StartOptions extends PlaceOptions {
  /** Default: no dashboard. */
  readonly pageFolder?: string
  /** An existing database instead of a new one. */
  readonly place?: Place
}

/** Environment variables. DURABILITY also works on PostgreSQL, where it sets synchronous_commit. */
export type StartServer = (settings?: Settings, options?: StartOptions) => Promise<TestServer>

/** Runs the suite once per database. */
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
  // A stream that was cut within a frame ends a moment later.
  await until(() => server.frames.subscriberCount === 0)
  const { engine, logged } = server
  expect([engine.events.listenerCount, engine.load]).toEqual([0, { waitingClaims: 0, queuedWrites: 0 }])
  if (!spoilt) expect(logged.filter(({ msg }) => msg === 'background task failed')).toEqual([])
}

async function start(place: Place, settings: Settings, pageFolder: string | null): Promise<TestServer> {
  const durability = settings.DURABILITY === 'normal' ? 'normal' : 'full'
  const { DIRECT_TRPC = 'on' } = process.env
  const env = { DIRECT_TRPC, ...settings, ...place.settings(durability), PORT: '0' }
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
  transcribe(serving.address.port)
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

/** One unbatched call, as with curl: mutations by POST, queries by GET. */
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
