/** Opens a PostgreSQL the way the queue needs it: a pool with bounded statements, on a server that keeps what it commits. */
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import {
  type ClientBase,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
  types,
} from 'pg'
import { whyNot } from './open-errors.ts'
import { isDirect, refuseTransactionPooling } from './pooling.ts'

const MIN_VERSION = 14
const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 10_000
/** No statement of a queue takes long; one that does holds locks that others wait for. */
const STATEMENT_TIMEOUT_MS = 30_000
/** For answers that never come because the network swallows them: later than the server itself would end the statement. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
/** A node that stops in the middle of a commit gives back the rows it holds before others give up waiting for them. */
const IDLE_TRANSACTION_MS = 10_000
/** Idle connections are felt for after this long. */
const KEEP_ALIVE_MS = 10_000

/** The pool, or one connection of it. */
export interface Queryable {
  query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>>
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>
}

export type Durability = 'full' | 'normal'

export interface Connection {
  readonly pool: Pool
  readonly db: NodePgDatabase & { readonly $client: Pool }
  /** As the server says it, `18.4`. */
  readonly version: string
  /** `normal`: the server answers commits before they are on disk, and may lose the last of them in a crash. */
  readonly durability: Durability
}

export interface ConnectOptions {
  readonly poolSize?: number
  /** How long a transaction of a node that does not move holds its rows. */
  readonly idleTransactionMs?: number
  /** How long an answer may take before its connection counts as lost. */
  readonly answerTimeoutMs?: number
  /** Connections that broke while nobody used them; the pool replaces them by itself. */
  readonly onError?: (error: unknown) => void
  /** Something that works and that the operator may not want. */
  readonly onWarning?: (message: string) => void
}

/** What the server says of itself. */
export interface ServerFacts {
  readonly version: string
  readonly versionNumber: number
  readonly fsync: string
  readonly synchronousCommit: string
  readonly encoding: string
  readonly readOnly: string
}

const FACTS = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int as "versionNumber", current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as "synchronousCommit", current_setting('server_encoding') as encoding,
  current_setting('transaction_read_only') as "readOnly", pg_backend_pid() as pid`

export async function openDatabase(url: string, options: ConnectOptions = {}): Promise<Connection> {
  const pool = new Pool({
    connectionString: url,
    max: options.poolSize ?? POOL_SIZE,
    application_name: 'millrace',
    query_timeout: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Statements that do not wait for each other's answers travel together; see session.ts.
    pipeline: true,
    types: { getTypeParser: typeParser },
  })
  // Without a listener a server that restarts would end this process.
  pool.on('error', (error) => options.onError?.(error))
  let isFit = false
  pool.on('connect', (client) => {
    // Nor does the pool listen to connections in use: one that breaks between two statements tells whoever asks it next.
    client.on('error', () => {})
    if (isFit) bound(client, options)
  })
  try {
    const facts = await firstContact(pool, url, options)
    isFit = true
    const durability = facts.synchronousCommit === 'off' ? 'normal' : 'full'
    if (durability === 'normal') {
      options.onWarning?.(
        'PostgreSQL runs with synchronous_commit = off: a crash may lose the last jobs it acknowledged.',
      )
    }
    return { pool, db: drizzle({ client: pool }), version: facts.version.split(' ', 1)[0] ?? '', durability }
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** By statement, not by parameters of its start, which PgBouncer refuses. */
function bound(client: ClientBase, options: ConnectOptions): void {
  client.query(bounds(options)).catch(() => {})
}

/** Without JIT: to compile a statement takes longer than any of ours runs. */
function bounds({ idleTransactionMs = IDLE_TRANSACTION_MS }: ConnectOptions): string {
  return `SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
    SET idle_in_transaction_session_timeout = ${idleTransactionMs}; SET jit = off`
}

/** The first connection changes its settings once the server, and whatever is in front of it, is known to be fit. */
async function firstContact(pool: Pool, url: string, options: ConnectOptions): Promise<ServerFacts> {
  const client = await pool.connect().catch((error: unknown) => Promise.reject(whyNot(error, url)))
  try {
    const facts = await askServer(client, url)
    refuseUnfit(facts)
    if (!isDirect(client, facts.pid)) await refuseTransactionPooling(url)
    bound(client, options)
    client.release()
    return facts
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function askServer(client: PoolClient, url: string): Promise<ServerFacts & { readonly pid: number }> {
  try {
    const { rows } = await client.query<ServerFacts & { readonly pid: number }>(FACTS)
    if (rows[0]) return rows[0]
    throw new Error('it did not say what it is')
  } catch (error) {
    throw whyNot(error, url)
  }
}

/** Throws one line that says what to do. */
export function refuseUnfit({ version, versionNumber, fsync, encoding, readOnly }: ServerFacts): void {
  if (versionNumber < MIN_VERSION * 10_000) {
    throw new Error(`PostgreSQL ${version} is too old; Millrace needs ${MIN_VERSION} or newer.`)
  }
  if (fsync !== 'on') {
    throw new Error(
      'PostgreSQL runs with fsync = off, which a crash can turn into a corrupt database; set fsync = on in ' +
        'postgresql.conf and reload. (To trade the last commits for speed, synchronous_commit = off is safe.)',
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(`This database stores text as ${encoding}; create one with ENCODING 'UTF8' for the queue.`)
  }
  if (readOnly !== 'off') {
    throw new Error('This PostgreSQL is read-only, perhaps a standby; point DATABASE_URL at the primary.')
  }
}

/** 64-bit integers are instants, durations and counts here: numbers, as in SQLite. */
function typeParser(id: number, format?: 'text' | 'binary') {
  return id === types.builtins.INT8 && format !== 'binary' ? parseLong : types.getTypeParser(id, format)
}

function parseLong(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`)
  return value
}
