/** Builds a running engine from a database address: the one place that knows which store belongs to which address. */
import { refuseUnknownKeys } from '../../shared/unknown-keys.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import { loadPart, NEEDS } from '../base/packages.ts'
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.ts'
import type { Store } from '../store/store.ts'
import { engineOptions, isPostgres, sqliteOptions } from './engine-options.ts'

/** How to open a queue in this process. */
export interface OpenOptions extends Partial<Omit<Config, 'url'>> {
  /** `sqlite:./data/queue.db`, `sqlite::memory:` for a queue that ends with the process, or `postgres://…`. */
  readonly url: string
  /** Where time comes from; default: the system clock. */
  readonly clock?: Clock
  /** true: this process owns the SQLite file and refuses to share it with a second owner, as a server does; default false. */
  readonly owner?: boolean
  /** How long to wait for a PostgreSQL that is not there yet, in milliseconds; default 0. */
  readonly databaseWaitMs?: number
  /**
   * Whether to run scheduling, rescue of lost jobs, retention and bulk operations here when no other process does; default
   * true.
   */
  readonly services?: boolean
  /** Called with errors of background work that no caller waits for; default: a process warning. */
  readonly onError?: EngineOptions['onError']
  /** Called with a message about something that works and may not be intended; default: a process warning. */
  readonly onWarning?: (message: string) => void
  /** Called when the database can no longer be trusted; the process should end. */
  readonly onFatal?: EngineOptions['onFatal']
}

const OPTIONS = [
  ...['url', 'durability', 'maxDatabaseBytes', 'maxPayloadBytes', 'defaults', 'clock', 'owner', 'databaseWaitMs'],
  ...['services', 'onError', 'onWarning', 'onFatal'],
]

/** Opens a queue on a SQLite file or on PostgreSQL, in this process, with all its verbs. */
export async function openEngine(options: OpenOptions): Promise<Engine> {
  refuseUnknownKeys(options, OPTIONS, 'openEngine')
  const { clock = systemClock } = options
  const engine = createEngine({ store: await openStore(options, clock), ...engineOptions(options, clock) })
  if (options.services ?? true) engine.start()
  return engine
}

/** Loads only what it opens: a command line starts a third sooner. */
async function openStore(options: OpenOptions, clock: Clock): Promise<Store> {
  const { url, defaults = {}, databaseWaitMs = 0, onError, onWarning } = options
  if (!isPostgres(url)) {
    const { openSqliteStore } = await loadPart(NEEDS.sqlite, () => import('../store/sqlite/store.ts'))
    return openSqliteStore(sqliteOptions(options, clock))
  }
  const { databaseTime } = await import('../store/postgres/connection/clock.ts')
  const { openPostgresStore } = await loadPart(NEEDS.postgres, () => import('../store/postgres/store.ts'))
  const told = { ...(onError && { onError }), ...(onWarning && { onWarning }) }
  const patience = { waitMs: databaseWaitMs, clock, ...(onWarning && { onWait: onWarning }) }
  return openPostgresStore({ url, time: databaseTime, defaults, patience, ...told })
}
