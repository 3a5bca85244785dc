/** The PostgreSQL store: any number of nodes on one database, the same rules as on SQLite. */
import { randomUUID } from 'node:crypto'
import { QueueError } from '../../../shared/errors.ts'
import { DEFAULTS, type Defaults } from '../../../shared/settings.ts'
import { ClockTrust } from '../clock-trust.ts'
import type { StoreFacts } from '../records.ts'
import type { Store } from '../store.ts'
import { Catalog } from './claims/catalog.ts'
import { readReady } from './claims/readiness.ts'
import { Committer } from './commit/commit.ts'
import { CLOCK, CLOCK_STEADY } from './commit/control.ts'
import { dueTimes } from './commit/due.ts'
import type { StoreTimeSource } from './connection/clock.ts'
import { migrate, type Schema } from './connection/migrate.ts'
import { type Connection, type ConnectOptions, openDatabase } from './connection/open.ts'
import { whyNot } from './connection/open-errors.ts'
import { codeOf, troubleOf } from './connection/postgres-errors.ts'
import { IN_INDEX_ORDER, inSnapshot } from './connection/snapshot.ts'
import { type Patience, patiently } from './connection/wait-for-server.ts'
import { steadily } from './connection/with-retry.ts'
import { EnqueueTx } from './host/enqueue-tx.ts'
import { HintLine } from './nodes/notifications.ts'
import { Elsewhere } from './nodes/other-commits.ts'
import { createReads } from './reads/reads.ts'
import { fold } from './upkeep/maintain.ts'

/** How often a node looks for what others did, while somebody waits for it. */
const POLL_MS = 250
const DEFAULT_SEARCH_BUDGET_MS = 250

export interface PostgresStoreOptions extends ConnectOptions {
  readonly url: string
  readonly time: StoreTimeSource
  readonly defaults?: Partial<Defaults>
  readonly searchBudgetMs?: number
  /** For a server that may not be there yet. */
  readonly patience?: Patience
}

export function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return options.patience ? patiently(() => open(options), options.patience) : open(options)
}

async function open(options: PostgresStoreOptions): Promise<Store> {
  const elsewhere = new Elsewhere()
  const onError = (error: unknown) => {
    elsewhere.forget()
    options.onError?.(error)
  }
  const connection = await openDatabase(options.url, { ...options, onError })
  try {
    const schema = await migrate(connection.pool)
    await elsewhere.begin(connection.pool)
    const trust = await startTrust(connection, options)
    return createStore(options, connection, schema, elsewhere, trust)
  } catch (error) {
    await connection.pool.end()
    // Refusals of ours say what to do; what the database says does not.
    throw codeOf(error) === null && troubleOf(error) === 'refused' ? error : whyNot(error, options.url)
  }
}

/** When upkeep last trusted the database's clock; no time was measured since then. */
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

function createStore(
  options: PostgresStoreOptions,
  connection: Connection,
  schema: Schema,
  elsewhere: Elsewhere,
  trust: ClockTrust,
): Store {
  const { pool, version, durability } = connection
  const { time, onWarning = emitWarning } = options
  const defaults: Defaults = { ...DEFAULTS, ...options.defaults }
  const catalog = new Catalog(defaults)
  const node = randomUUID()
  const committer = new Committer({ pool, time, catalog, trust, elsewhere, node })
  const searchBudgetMs = options.searchBudgetMs ?? DEFAULT_SEARCH_BUDGET_MS
  const hints = new HintLine(options.url, pool, node, () => elsewhere.forget())
  const enqueueTx = new EnqueueTx({ connection, time, onWarning })
  let closed = false

  const requireOpen = () => {
    if (closed) throw new QueueError('CLOSED', 'The queue is closed; open it again to read from it.')
    return pool
  }

  return {
    ...createReads({ open: requireOpen, time, defaults, searchBudgetMs }),
    async commit(ops) {
      requireOpen()
      return committer.commit(ops)
    },
    async enqueueIn(tx, jobs) {
      requireOpen()
      return enqueueTx.enqueue(tx, jobs)
    },
    nextDue: () => steadily(async () => inSnapshot(requireOpen(), (client) => dueTimes(client, trust), IN_INDEX_ORDER)),
    ready: () => steadily(() => committer.withSession((session) => readReady(session, catalog, null))),
    now: () => steadily(async () => time.now(requireOpen())),
    pollMs: POLL_MS,
    async changedElsewhere() {
      void hints.mend()
      return steadily(async () => elsewhere.poll(requireOpen()))
    },
    listen: (onHint) => hints.listen(onHint),
    hint: () => hints.send(),
    maintain: () => steadily(() => committer.withSession(fold)),
    async facts(): Promise<StoreFacts> {
      const text = `SELECT pg_database_size(current_database()) AS size, current_database() AS name, ${time.sql()} AS now,
        (SELECT max(created_at) FROM ${schema.journal.table}) AS applied`
      const { rows } = await steadily(async () =>
        requireOpen().query<{ size: number; name: string; now: number; applied: number }>(text),
      )
      const { size = 0, name = '', now = 0, applied = 0 } = rows[0] ?? {}
      return {
        dialect: 'postgres',
        version,
        location: name,
        durability,
        sizeBytes: size,
        walBytes: 0,
        // How much space that server has is not known here: its refusals tell.
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
