/** PostgreSQL store: any number of nodes on one database, with the same rules as on SQLite. */
import { randomUUID } from 'node:crypto'
import { QueueError } from '../../../shared/errors.ts'
import type { StoreFacts } from '../../../shared/records.ts'
import { DEFAULTS, type Defaults } from '../../../shared/settings/settings.ts'
import { ClockTrust } from '../clock-trust.ts'
import type { Store } from '../store.ts'
import { Catalog } from './claims/catalog.ts'
import { readReady } from './claims/readiness.ts'
import { Committer } from './commit/commit.ts'
import { CLOCK, CLOCK_STEADY } from './commit/control.ts'
import { dueTimes } from './commit/due-times.ts'
import type { StoreTimeSource } from './connection/clock.ts'
import { migrate, type Schema } from './connection/migrate.ts'
import { type Connection, type ConnectOptions, connectPostgres } from './connection/open.ts'
import { toOpenError } from './connection/open-errors.ts'
import { classifyError, codeOf } from './connection/postgres-errors.ts'
import { IN_INDEX_ORDER, inSnapshot } from './connection/snapshot.ts'
import { type WaitOptions, waitForServer } from './connection/wait-for-server.ts'
import { withRetry } from './connection/with-retry.ts'
import { EnqueueTx } from './host/enqueue-tx.ts'
import { NodeNotifications } from './nodes/notifications.ts'
import { OtherCommits } from './nodes/other-commits.ts'
import { ReadSlots } from './reads/read-slots.ts'
import { createReads } from './reads/reads.ts'
import { fold } from './upkeep/maintain.ts'

/** Poll interval for other nodes' commits while a caller waits. */
const POLL_MS = 250
const DEFAULT_SEARCH_BUDGET_MS = 250

export interface PostgresStoreOptions extends ConnectOptions {
  readonly url: string
  readonly time: StoreTimeSource
  readonly defaults?: Partial<Defaults>
  readonly searchBudgetMs?: number
  /** For a server that may not be running yet; default: one attempt. */
  readonly wait?: WaitOptions
}

export function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return options.wait ? waitForServer(() => open(options), options.wait) : open(options)
}

async function open(options: PostgresStoreOptions): Promise<Store> {
  const otherCommits = new OtherCommits()
  const onError = (error: unknown) => {
    otherCommits.forget()
    options.onError?.(error)
  }
  const connection = await connectPostgres(options.url, { ...options, onError })
  try {
    const schema = await migrate(connection.pool)
    await otherCommits.begin(connection.pool)
    const trust = await startTrust(connection, options)
    return createStore({ ...options, connection, schema, otherCommits, trust })
  } catch (error) {
    await connection.pool.end()
    // Errors of the database are translated; the queue's own errors already name a remedy.
    throw codeOf(error) === null && classifyError(error) === 'refused' ? error : toOpenError(error, options.url)
  }
}

/** Starts from the last instant at which upkeep trusted the database's clock: no time was measured since. */
async function startTrust({ pool }: Connection, { time, onWarning }: PostgresStoreOptions): Promise<ClockTrust> {
  const trust = new ClockTrust(time, onWarning ?? emitWarning)
  const text = `SELECT ${time.sql()} AS now, (SELECT until FROM millrace_leadership WHERE name = $1) AS last,
    (SELECT until FROM millrace_leadership WHERE name = $2) AS steady`
  const { rows } = await pool.query<{ now: number; last: number | null; steady: number | null }>(text, [
    CLOCK,
    CLOCK_STEADY,
  ])
  const [row] = rows
  if (row) trust.start(row.now, row.last, row.steady ?? 0)
  return trust
}

function emitWarning(message: string): void {
  process.emitWarning(message)
}

interface OpenedDatabase extends PostgresStoreOptions {
  readonly connection: Connection
  readonly schema: Schema
  readonly otherCommits: OtherCommits
  readonly trust: ClockTrust
}

function createStore(options: OpenedDatabase): Store {
  const { connection, schema, otherCommits, trust, time, onWarning = emitWarning } = options
  const { pool, version, durability } = connection
  const defaults: Defaults = { ...DEFAULTS, ...options.defaults }
  const catalog = new Catalog(defaults, time.monotonic)
  const node = randomUUID()
  const committer = new Committer({ pool, time, catalog, trust, otherCommits, node })
  const searchBudgetMs = options.searchBudgetMs ?? DEFAULT_SEARCH_BUDGET_MS
  const onLost = () => otherCommits.forget()
  const notifications = new NodeNotifications({ url: options.url, pool, node, onLost })
  const enqueueTx = new EnqueueTx({ connection, time, onWarning })
  const slots = new ReadSlots(pool.options.max)
  let closed = false

  const requireOpen = () => {
    if (closed) throw new QueueError('CLOSED', 'The queue is closed; open it again to read from it.')
    return pool
  }

  return {
    ...createReads({ open: requireOpen, slots, time, defaults, searchBudgetMs }),
    async commit(ops) {
      requireOpen()
      return committer.commit(ops)
    },
    async enqueueIn(tx, jobs) {
      requireOpen()
      return enqueueTx.enqueue(tx, jobs)
    },
    nextDue: () =>
      withRetry(async () => inSnapshot(requireOpen(), (client) => dueTimes(client, trust), IN_INDEX_ORDER)),
    ready: () => withRetry(() => committer.withSession((session) => readReady(session, catalog, null))),
    now: () => slots.run(() => withRetry(async () => time.now(requireOpen()))),
    pollMs: POLL_MS,
    async changedElsewhere() {
      void notifications.reconnect()
      return withRetry(async () => otherCommits.poll(requireOpen()))
    },
    listen: (onHint) => notifications.listen(onHint),
    hint: () => notifications.send(),
    maintain: () => withRetry(() => committer.withSession(fold)),
    async facts(): Promise<StoreFacts> {
      const text = `SELECT pg_database_size(current_database()) AS size, current_database() AS name, ${time.sql()} AS now,
        (SELECT max(created_at) FROM ${schema.journal.table}) AS applied`
      const read = async () => requireOpen().query<{ size: number; name: string; now: number; applied: number }>(text)
      const { rows } = await slots.run(() => withRetry(read))
      const { size = 0, name = '', now = 0, applied = 0 } = rows[0] ?? {}
      return {
        dialect: 'postgres',
        version,
        location: name,
        durability,
        sizeBytes: size,
        walBytes: 0,
        // The free space of the server is unknown; only a refused write shows that its disk is full.
        isFull: committer.isFull(now),
        isClockUnsure: !trust.isSure,
        hasNewerSchema: applied > schema.newest,
      }
    },
    async close() {
      if (closed) return
      closed = true
      await committer.idle()
      await pool.end()
    },
  }
}
