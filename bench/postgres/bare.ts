/** PostgreSQL baseline: one lean table as in bench/limit.ts and named prepared statements of `pg`. */
import { Client } from 'pg'
import { uuidv7 } from 'uuidv7'
import { RESULT_TEXT } from '../engine/callers.ts'
import { callsPerSecond } from '../harness/turn.ts'
import { FINISH, HEADS, TABLE, TAKE } from './bare-statements.ts'
import { CALLERS, PAYLOAD, TURN_MS, type Work } from './subject.ts'

const TEXT = JSON.stringify(PAYLOAD)
const LEASE_MS = 30_000

const ONE = {
  insert: `INSERT INTO jobs (id, type, payload, status, priority, run_at, attempts, version)
    VALUES ($1, $2, $3, 'pending', 0, $4, 0, 0)`,
  claim: `${TAKE} WHERE seq = (${HEADS} LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, version, payload`,
  complete: `${FINISH}, result = $1 WHERE id = $2 AND status = 'processing' AND version = $3`,
}

const MANY = {
  insert: `INSERT INTO jobs (id, type, payload, status, priority, run_at, attempts, version)
    SELECT id, $2, payload, 'pending', 0, $4, 0, 0 FROM unnest($1::text[], $3::text[]) AS given (id, payload)`,
  claim: `${TAKE} WHERE seq = ANY (ARRAY(${HEADS} LIMIT $4 FOR UPDATE SKIP LOCKED)) RETURNING id, version, payload`,
  complete: `${FINISH}, result = given.result
    FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given (result, id, version)
    WHERE jobs.id = given.id AND status = 'processing' AND jobs.version = given.version`,
}

interface Claimed {
  readonly id: string
  /** A bigint, which pg returns as text. */
  readonly version: string
  readonly payload: string
}

export interface Bare {
  readonly enqueue: Work
  readonly live: Work
  close(): Promise<void>
}

/** One connection per caller and one transaction per operation, like a queue without group commit. */
export async function openRaw(url: string): Promise<Bare & { enqueueOne(): Promise<unknown> }> {
  const clients = await connect(url, CALLERS)
  const clientOf = (caller: number) => at(clients, caller)

  const insert = (client: Client, type: string) =>
    client.query({ name: 'insert', text: ONE.insert, values: [uuidv7(), type, TEXT, Date.now()] })

  async function live(client: Client, worker: string): Promise<void> {
    await insert(client, 'live')
    let claimed: Claimed | undefined
    // All visible jobs may be locked by other callers for a moment.
    while (!claimed) {
      const values = ['live', Date.now() + LEASE_MS, worker]
      const { rows } = await client.query<Claimed>({ name: 'claim', text: ONE.claim, values })
      claimed = rows[0]
    }
    const values = [RESULT_TEXT, claimed.id, claimed.version]
    expectRows(1, await client.query({ name: 'complete', text: ONE.complete, values }))
  }

  return {
    enqueue: () => callsPerSecond(CALLERS, TURN_MS, (caller) => insert(clientOf(caller), 'enqueue')),
    live: () => callsPerSecond(CALLERS, TURN_MS, (caller) => live(clientOf(caller), `worker-${caller}`)),
    enqueueOne: () => insert(clientOf(0), 'enqueue'),
    close: () => disconnect(clients),
  }
}

/** One connection and 50 rows per statement: the limit for a queue with group commit. */
export async function openLimit(url: string): Promise<Bare> {
  const clients = await connect(url, 1)
  const client = at(clients, 0)
  const texts = Array.from({ length: CALLERS }, () => TEXT)
  const results = texts.map(() => RESULT_TEXT)

  async function insert(type: string): Promise<void> {
    const ids = texts.map(() => uuidv7())
    const values = [ids, type, texts, Date.now()]
    expectRows(CALLERS, await client.query({ name: 'insert', text: MANY.insert, values }))
  }

  async function live(): Promise<void> {
    await insert('live')
    const taking = ['live', Date.now() + LEASE_MS, 'worker', CALLERS]
    const claimed = await client.query<Claimed>({ name: 'claim', text: MANY.claim, values: taking })
    expectRows(CALLERS, claimed)
    const finishing = [results, claimed.rows.map(({ id }) => id), claimed.rows.map(({ version }) => version)]
    expectRows(CALLERS, await client.query({ name: 'complete', text: MANY.complete, values: finishing }))
  }

  return {
    enqueue: async () => CALLERS * (await callsPerSecond(1, TURN_MS, () => insert('enqueue'))),
    live: async () => CALLERS * (await callsPerSecond(1, TURN_MS, live)),
    close: () => disconnect(clients),
  }
}

async function connect(url: string, connections: number): Promise<readonly Client[]> {
  const clients = Array.from({ length: connections }, () => new Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  await clients[0]?.query(TABLE)
  return clients
}

async function disconnect(clients: readonly Client[]): Promise<void> {
  await Promise.all(clients.map((client) => client.end()))
}

function at(clients: readonly Client[], index: number): Client {
  const client = clients[index]
  if (!client) throw new Error(`There is no connection ${index}.`)
  return client
}

function expectRows(rows: number, { rowCount }: { readonly rowCount: number | null }): void {
  if (rowCount !== rows) throw new Error(`${rowCount} rows instead of ${rows}; the measurement is invalid.`)
}
