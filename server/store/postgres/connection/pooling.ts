/**
 * Refuses transaction pooling, such as PgBouncer with pool_mode = transaction: prepared statements, settings and LISTEN would
 * remain on connections that other clients use next.
 */
import { Client, type ClientBase } from 'pg'

/** A pooler in session mode may have no free connection for this test; the timeout then counts as session pooling. */
const TIMEOUT_MS = 3_000
/** On a pooler with other clients one round may not be conclusive. */
const ROUNDS = 5

const PID = 'SELECT pg_backend_pid() AS pid'

/** Reads the process id of the backend that serves one client. */
export type ReadPid = () => Promise<number>

/** To be called before the session changes any setting: behind such a pooler the setting would apply to other clients. */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const [one, two] = [probe(url), probe(url)]
  try {
    await Promise.all([one.connect(), two.connect()])
    if (!(await sharesConnections(pidReader(one), pidReader(two)))) return
  } catch {
    return
  } finally {
    await Promise.allSettled([one.end(), two.end()])
  }
  throw new Error(
    'A connection pooler in front of PostgreSQL assigns a connection per transaction, not per session; the queue needs ' +
      'prepared statements, settings and LISTEN to stay on its connections. Set session pooling for this ' +
      'database (PgBouncer: pool_mode = session), or point DATABASE_URL at PostgreSQL itself.',
  )
}

/**
 * In session pooling each of two clients keeps its backend process. Otherwise both get the process that became free last, or,
 * with a round-robin pooler, the first client gets a different one each time.
 */
export async function sharesConnections(readFirst: ReadPid, readSecond: ReadPid): Promise<boolean> {
  const first = await readFirst()
  for (let round = 0; round < ROUNDS; round++) {
    if ((await readFirst()) !== first || (await readSecond()) === first) return true
  }
  return false
}

/**
 * PostgreSQL sends the id of the backend process when a client connects; a pooler sends a different id, for cancellation. `pid` is
 * the id that a statement on the connection returned.
 */
export function isDirect(client: ClientBase, pid: number): boolean {
  return Reflect.get(client, 'processID') === pid
}

function pidReader(client: ClientBase): ReadPid {
  return async () => (await client.query<{ pid: number }>(PID)).rows[0]?.pid ?? 0
}

function probe(url: string): Client {
  const client = new Client({
    connectionString: url,
    application_name: 'millrace',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => {})
  return client
}
