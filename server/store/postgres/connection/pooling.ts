/**
 * Refuses a pooler that gives a client another connection for each transaction, such as PgBouncer with pool_mode = transaction:
 * prepared statements, settings and LISTEN would stay behind on connections that other clients use next.
 */
import { Client, type ClientBase } from 'pg'

/** A pooler in session mode may have no connection left for this test; then it is not that kind of pooler. */
const TIMEOUT_MS = 3_000
/** On a pooler that others use at the same time one round may show nothing. */
const ROUNDS = 5

const PID = 'SELECT pg_backend_pid() AS pid'

/** Asks one client for the process that serves it. */
export type AskPid = () => Promise<number>

/** Call before the session changes any setting: behind such a pooler it would change for other clients. */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const [one, two] = [probe(url), probe(url)]
  try {
    await Promise.all([one.connect(), two.connect()])
    if (!(await sharesConnections(askerOf(one), askerOf(two)))) return
  } catch {
    return
  } finally {
    await Promise.allSettled([one.end(), two.end()])
  }
  throw new Error(
    'Between this server and PostgreSQL is a connection pooler that assigns a connection per transaction, not per session; ' +
      'the queue needs prepared statements, settings and LISTEN to stay on its connections. Set session pooling for this ' +
      'database (PgBouncer: pool_mode = session), or point DATABASE_URL at PostgreSQL itself.',
  )
}

/**
 * In session pooling each of two clients keeps a process of its own. Otherwise either both get the one that became free last,
 * or, where the pooler takes turns, the first gets a different one each time.
 */
export async function sharesConnections(askOne: AskPid, askTwo: AskPid): Promise<boolean> {
  const first = await askOne()
  for (let round = 0; round < ROUNDS; round++) {
    if ((await askOne()) !== first || (await askTwo()) === first) return true
  }
  return false
}

/**
 * PostgreSQL tells a client the id of its process when it connects; poolers tell an id of their own, for cancelling. `pid` is what
 * a statement on the connection gave.
 */
export function isDirect(client: ClientBase, pid: number): boolean {
  return Reflect.get(client, 'processID') === pid
}

function askerOf(client: ClientBase): AskPid {
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
