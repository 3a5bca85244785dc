/** Connects to PostgreSQL: a pool with statement timeouts, on a server that is configured safely. */
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { type ClientBase, Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg'
import { toOpenError } from './open-errors.ts'
import { isDirect, refuseTransactionPooling } from './pooling.ts'
import { typeParser } from './type-parsers.ts'

const MIN_VERSION = 14
const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 10_000
/** No statement of the queue takes long. One that does holds locks that other nodes wait for. */
const STATEMENT_TIMEOUT_MS = 30_000
/** For responses that the network lost. Longer than the statement timeout of the server. */
const RESPONSE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
/** The row locks of a node that hangs within a commit end before the statements of other nodes time out. */
const IDLE_TRANSACTION_MS = 10_000
/** TCP keep-alive probes start after this idle time. */
const KEEP_ALIVE_MS = 10_000

/** Runs a statement that is prepared under its name. */
export interface NamedQueryable {
  query<Row extends QueryResultRow>(config: {
    readonly name: string
    readonly text: string
    readonly values?: unknown[]
  }): Promise<Pick<QueryResult<Row>, 'rows'>>
}

/** The pool, or one connection of it. */
export interface Queryable {
  query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>>
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>
}

export type Durability = 'full' | 'normal'

export interface Connection {
  readonly pool: Pool
  /** As reported by the server, `18.4`. */
  readonly version: string
  /** `normal`: the server confirms commits before they are on disk, and may lose the last ones in a crash. */
  readonly durability: Durability
}

export interface ConnectOptions {
  readonly poolSize?: number
  /** How long an idle transaction may hold its row locks. */
  readonly idleTransactionMs?: number
  /** How long to wait for a response before the connection counts as lost. */
  readonly responseTimeoutMs?: number
  /** Called for idle connections that broke; the pool replaces them. */
  readonly onError?: (error: unknown) => void
  /** Called about a condition that works but may not be intended. */
  readonly onWarning?: (message: string) => void
}

/** Version and settings of the server. */
export interface ServerFacts {
  readonly version: string
  readonly versionNumber: number
  readonly fsync: string
  readonly synchronousCommit: string
  readonly encoding: string
  readonly readOnly: string
}

const FACTS = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS "versionNumber", current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit", current_setting('server_encoding') AS encoding,
  current_setting('transaction_read_only') AS "readOnly", pg_backend_pid() AS pid`

/** Drizzle on the pool: every statement may run on another connection. */
export function queryBuilder(pool: Pool): NodePgDatabase {
  return drizzle({ client: pool })
}

export async function connectPostgres(url: string, options: ConnectOptions = {}): Promise<Connection> {
  const pool = new Pool({
    connectionString: url,
    max: options.poolSize ?? POOL_SIZE,
    application_name: 'millrace',
    query_timeout: options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Statements are sent without waiting for earlier responses; see session.ts.
    pipeline: true,
    types: { getTypeParser: typeParser },
  })
  // Without a listener, a restart of the server would end this process.
  pool.on('error', (error) => options.onError?.(error))
  let isChecked = false
  pool.on('connect', (client) => {
    // The pool does not listen to connections in use. The next statement on a broken connection fails.
    client.on('error', () => {})
    if (isChecked) applySettings(client, options)
  })
  try {
    const facts = await connectFirst(pool, url, options)
    isChecked = true
    const durability = facts.synchronousCommit === 'off' ? 'normal' : 'full'
    if (durability === 'normal') {
      options.onWarning?.(
        'PostgreSQL runs with synchronous_commit = off: a crash may lose the last jobs it acknowledged.',
      )
    }
    return { pool, version: facts.version.split(' ', 1)[0] ?? '', durability }
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** By statement, because PgBouncer refuses start-up parameters. */
function applySettings(client: ClientBase, options: ConnectOptions): void {
  client.query(sessionSettings(options)).catch(() => {})
}

/** Without JIT: compiling a statement takes longer than running any of ours. */
function sessionSettings({ idleTransactionMs = IDLE_TRANSACTION_MS }: ConnectOptions): string {
  return `SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
    SET idle_in_transaction_session_timeout = ${idleTransactionMs}; SET jit = off`
}

/** Settings are applied once the server, and a pooler in front of it, have passed the checks. */
async function connectFirst(pool: Pool, url: string, options: ConnectOptions): Promise<ServerFacts> {
  const client = await pool.connect().catch((error: unknown) => Promise.reject(toOpenError(error, url)))
  try {
    const facts = await readFacts(client, url)
    assertUsable(facts)
    if (!isDirect(client, facts.pid)) await refuseTransactionPooling(url)
    applySettings(client, options)
    client.release()
    return facts
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function readFacts(client: PoolClient, url: string): Promise<ServerFacts & { readonly pid: number }> {
  try {
    const { rows } = await client.query<ServerFacts & { readonly pid: number }>(FACTS)
    if (rows[0]) return rows[0]
    throw new Error('it returned no settings')
  } catch (error) {
    throw toOpenError(error, url)
  }
}

/** Throws if the server does not meet the requirements. */
export function assertUsable({ version, versionNumber, fsync, encoding, readOnly }: ServerFacts): void {
  if (versionNumber < MIN_VERSION * 10_000) {
    throw new Error(`PostgreSQL ${version} is too old; upgrade it to ${MIN_VERSION} or newer.`)
  }
  if (fsync !== 'on') {
    throw new Error(
      'PostgreSQL runs with fsync = off, so a crash can corrupt the database; set fsync = on in ' +
        'postgresql.conf and reload. (To trade the last commits for speed, synchronous_commit = off is safe.)',
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(`This database has the encoding ${encoding}; create one with ENCODING 'UTF8' for the queue.`)
  }
  if (readOnly !== 'off') {
    throw new Error('This PostgreSQL server is read-only, perhaps a standby; point DATABASE_URL at the primary.')
  }
}
