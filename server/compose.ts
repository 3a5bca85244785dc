/** Builds a running engine from a database address: the one place that knows which store belongs to which address. */
import { type Clock, systemClock } from './clock.ts'
import { engineOptions, isPostgres, sqliteOptions } from './compose-options.ts'
import type { Config } from './config.ts'
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts'
import type { Store } from './store/store.ts'

export interface OpenOptions extends Partial<Omit<Config, 'url'>> {
  /** `sqlite:./data/queue.db`, `sqlite::memory:` for a queue that ends with the process, or `postgres://…`. */
  readonly url: string
  readonly clock?: Clock
  /** A server owns its file and refuses to share it with a second one. */
  readonly owner?: boolean
  /** How long to wait for a PostgreSQL that is not there yet; default: not at all. */
  readonly databaseWaitMs?: number
  /** Run Scheduler, Rescuer, Cleaner and bulk work here when no other engine does. Default: yes. */
  readonly services?: boolean
  readonly onError?: EngineOptions['onError']
  /** Something that works and that the operator may not want. */
  readonly onWarning?: (message: string) => void
  readonly onFatal?: EngineOptions['onFatal']
}

export async function openEngine(options: OpenOptions): Promise<Engine> {
  const { clock = systemClock } = options
  const engine = createEngine({ store: await openStore(options, clock), ...engineOptions(options, clock) })
  if (options.services ?? true) engine.start()
  return engine
}

/** Loads only what it opens: a command line starts a third sooner. */
async function openStore(options: OpenOptions, clock: Clock): Promise<Store> {
  const { url, defaults = {}, databaseWaitMs = 0, onError, onWarning } = options
  if (!isPostgres(url)) {
    const { openSqliteStore } = await import('./store/sqlite/sqlite-store.ts')
    return openSqliteStore(sqliteOptions(options, clock))
  }
  const { databaseTime } = await import('./store/postgres/clock.ts')
  const { openPostgresStore } = await import('./store/postgres/postgres-store.ts')
  const told = { ...(onError && { onError }), ...(onWarning && { onWarning }) }
  const patience = { waitMs: databaseWaitMs, clock, ...(onWarning && { onWait: onWarning }) }
  return openPostgresStore({ url, time: databaseTime, defaults, patience, ...told })
}
