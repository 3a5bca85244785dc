/** `openEngine`: selects the store for a database address and starts the engine. */
import { refuseUnknownKeys } from '../../shared/json/unknown-keys.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import { loadPart, NEEDS } from '../base/packages.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import type { EngineOptions } from '../engine/engine-options.ts'
import type { Store } from '../store/store.ts'
import { engineOptions, isPostgres, sqliteOptions } from './engine-options.ts'

/** Options of `openEngine`. */
export interface OpenOptions extends Partial<Omit<Config, 'url'>> {
  /** Address of the database: `sqlite:./data/queue.db`, `sqlite::memory:` (lost when the process exits) or `postgres://…`. */
  readonly url: string
  /** Clock for timers and due times; default: the system clock. */
  readonly clock?: Clock
  /** true: this process owns the SQLite file, as a server does; a second owner is refused; default false. */
  readonly owner?: boolean
  /** How long to wait for a PostgreSQL that is not reachable yet, in milliseconds; default 0. */
  readonly databaseWaitMs?: number
  /**
   * Whether this process may run maintenance (due jobs, expired leases, retention, bulk operations); one process per queue
   * does; default true.
   */
  readonly services?: boolean
  /** Called with errors of background tasks; default: a process warning. */
  readonly onError?: EngineOptions['onError']
  /** Called with warnings about a probable misconfiguration; default: a process warning. */
  readonly onWarning?: (message: string) => void
  /** Called when the database can no longer be trusted; the process should exit. */
  readonly onFatal?: EngineOptions['onFatal']
}

const OPTIONS = [
  ...['url', 'durability', 'maxDatabaseBytes', 'maxPayloadBytes', 'defaults', 'clock', 'owner', 'databaseWaitMs'],
  ...['services', 'onError', 'onWarning', 'onFatal'],
]

/** Opens an embedded queue on a SQLite file or on PostgreSQL. */
export async function openEngine(options: OpenOptions): Promise<Engine> {
  refuseUnknownKeys(options, OPTIONS, 'openEngine')
  const { clock = systemClock } = options
  const engine = createEngine({ store: await openStore(options, clock), ...engineOptions(options, clock) })
  if (options.services ?? true) engine.start()
  return engine
}

/** Loads only the store it opens, which makes queuectl start a third faster. */
async function openStore(options: OpenOptions, clock: Clock): Promise<Store> {
  const { url, defaults = {}, databaseWaitMs = 0, onError, onWarning } = options
  if (!isPostgres(url)) {
    const { openSqliteStoreSync } = await loadPart(NEEDS.sqlite, () => import('../store/sqlite/store.ts'))
    return openSqliteStoreSync(sqliteOptions(options, clock))
  }
  const [{ openPostgresStore }, { databaseTime }] = await loadPart(NEEDS.postgres, () =>
    Promise.all([import('../store/postgres/store.ts'), import('../store/postgres/connection/clock.ts')]),
  )
  const callbacks = { ...(onError && { onError }), ...(onWarning && { onWarning }) }
  const wait = { waitMs: databaseWaitMs, clock, ...(onWarning && { onWait: onWarning }) }
  return openPostgresStore({ url, time: databaseTime, defaults, wait, ...callbacks })
}
