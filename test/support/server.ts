/** A whole server under test, on a port of its own and a new database, with what it logged and a check that it lets go. */
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { openLog } from '../../server/log.ts'
import { type Serving, serve } from '../../server/serve.ts'
import { readServerConfig } from '../../server/server-config.ts'
import { tempFolder } from './temp.ts'

export interface TestServer extends Serving {
  readonly url: string
  /** Parsed lines of its log. */
  readonly logged: readonly Record<string, unknown>[]
  /** Everything it logged, as written. */
  readonly logText: () => string
  readonly file: string
}

const open: TestServer[] = []

afterEach(async () => {
  for (const server of open.splice(0)) {
    await server.close()
    expect([server.engine.events.listenerCount, server.frames.watcherCount, server.engine.load]).toEqual([
      0,
      0,
      { waitingClaims: 0, queuedWrites: 0 },
    ])
  }
})

/** Settings as in the environment; the page folder is left out unless a test brings one. */
export async function startServer(
  settings: Readonly<Record<string, string>> = {},
  options: { readonly pageFolder?: string; readonly file?: string } = {},
): Promise<TestServer> {
  const file = options.file ?? join(await tempFolder(), 'queue.db')
  const env = { DB_PATH: file, PORT: '0', ...settings }
  const lines: string[] = []
  const server = readServerConfig(env)
  const serving = await serve({
    config: readConfig(env),
    server,
    log: openLog(server.logLevel, { write: (line) => lines.push(line) }),
    pageFolder: options.pageFolder ?? null,
    onFatal: (error) => {
      throw error
    },
  })
  const one: TestServer = {
    ...serving,
    url: `http://127.0.0.1:${serving.address.port}${server.basePath}`,
    get logged() {
      return lines.map((line) => JSON.parse(line))
    },
    logText: () => lines.join(''),
    file,
  }
  open.push(one)
  return one
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
