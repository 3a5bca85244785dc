/** The measured PostgreSQL: a temporary server with durability on, or an external one; one database per subject. */
import { spawn } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { Client } from 'pg'

/** Folder in the repository, not in the build. */
const KEEPER = resolve('test/support/postgres/keeper.mjs')

/** Defaults of initdb (the test server is tuned for speed), with enough connections for all subjects. */
const STOCK = {
  synchronous_commit: 'on',
  checkpoint_timeout: '5min',
  max_wal_size: '1GB',
  wal_level: 'replica',
  max_wal_senders: '10',
  max_connections: '300',
}

const REPORTED_SETTINGS = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'shared_buffers',
  'max_wal_size',
  'autovacuum',
  'jit',
] as const

export interface Postgres {
  /** Description of the server for the results, with where it comes from. */
  readonly facts: string
  /** Parent process of the server; null: an external server. */
  readonly pid: number | null
  /** Creates an empty database and returns its URL. */
  create(name: string): Promise<string>
  /** Runs a statement in one of its databases. */
  run(url: string, statement: string): Promise<void>
  stop(): Promise<void>
}

/** `npm`: the server of the tests. `installed`: the server installed on this machine, with the defaults of its initdb. */
type Origin = 'npm' | 'installed'

const ORIGINS: Readonly<Record<Origin | 'own', string>> = {
  npm: 'the server of the tests, with the defaults of initdb but 300 connections',
  installed: 'the installed server, with the defaults of its initdb',
  own: 'the server at BENCH_DATABASE_URL',
}

/** The server as it is shipped: the installed one, else the one of the tests, which has no JIT. */
export async function openShippedPostgres(folder: string, logProgress: (progress: string) => void): Promise<Postgres> {
  try {
    return await openPostgres(folder, 'installed')
  } catch {
    logProgress('no installed PostgreSQL could be started; using the one of the tests, which has no JIT')
    return openPostgres(folder, 'npm')
  }
}

/** `folder` is the folder of the benchmark; the data of the server is next to it, on the same disk. */
export async function openPostgres(folder: string, origin: Origin = 'npm'): Promise<Postgres> {
  const own = process.env.BENCH_DATABASE_URL
  const server = own ? { url: own, pid: null, end: async () => {} } : await startServer(dirname(folder), origin)
  const admin = new Client({ connectionString: server.url })
  await admin.connect()
  const made: string[] = []
  const stop = async () => {
    if (own) for (const name of made) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await admin.end()
    await server.end()
  }
  try {
    return {
      facts: `${await factsOf(admin)}; ${ORIGINS[own ? 'own' : origin]}`,
      pid: server.pid,
      async create(name) {
        const database = `millrace_bench_${process.pid}_${name.replaceAll(/\W+/g, '_')}`
        await admin.query(`CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8'`)
        made.push(database)
        const url = new URL(server.url)
        url.pathname = `/${database}`
        return url.href
      },
      async run(url, statement) {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query(statement).finally(() => client.end())
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function factsOf(admin: Client): Promise<string> {
  const columns = REPORTED_SETTINGS.map((name) => `current_setting('${name}') AS ${name}`)
  const { rows } = await admin.query<Record<(typeof REPORTED_SETTINGS)[number], string>>(`SELECT ${columns.join(', ')}`)
  const [facts] = rows
  if (facts?.fsync !== 'on' || facts.synchronous_commit !== 'on') {
    throw new Error(
      'This PostgreSQL acknowledges commits before they are on disk; set fsync and synchronous_commit to on.',
    )
  }
  const [version, ...settings] = REPORTED_SETTINGS
  return `PostgreSQL ${facts[version].split(' ', 1)[0]}; ${settings.map((name) => `${name} ${facts[name]}`).join(', ')}`
}

/** The server ends with this process at the latest, when its pipe closes. */
async function startServer(
  folder: string,
  origin: Origin,
): Promise<{ readonly url: string; readonly pid: number | null; end(): Promise<void> }> {
  const settings = origin === 'npm' ? STOCK : {}
  const keeper = spawn(process.execPath, [KEEPER, JSON.stringify(settings), origin], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
    // Own process group: Ctrl-C in the terminal must not kill it before it has cleaned up.
    detached: true,
  })
  const ended = new Promise<void>((resolve) => keeper.once('close', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    keeper.stdout.once('data', (text) => resolve(String(text).trim()))
    void ended.then(() => reject(new Error('PostgreSQL did not start, for the reason above.')))
  })
  return {
    url,
    pid: keeper.pid ?? null,
    async end() {
      keeper.stdin.end()
      await ended
    },
  }
}
