/** Builds a running engine from a database address: the one place that knows which store belongs to which address. */
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts'
import { databaseTime } from './store/postgres/clock.ts'
import { openPostgresStore } from './store/postgres/postgres-store.ts'
import { openSqliteStore } from './store/sqlite/sqlite-store.ts'
import type { Store } from './store/store.ts'

export interface OpenOptions extends Partial<Omit<Config, 'url'>> {
  /** `sqlite:./data/queue.db`, `sqlite::memory:` for a queue that ends with the process, or `postgres://…`. */
  readonly url: string
  readonly clock?: Clock
  /** A server owns its file and refuses to share it with a second one. */
  readonly owner?: boolean
  /** Run Scheduler, Rescuer, Cleaner and bulk work here when no other engine does. Default: yes. */
  readonly services?: boolean
  readonly onError?: EngineOptions['onError']
  /** Something that works and that the operator may not want. */
  readonly onWarning?: (message: string) => void
  readonly onFatal?: EngineOptions['onFatal']
}

export async function openEngine(options: OpenOptions): Promise<Engine> {
  const { clock = systemClock, maxPayloadBytes, onError, onFatal } = options
  const store = await openStore(options, clock)
  const engine = createEngine({
    store,
    clock,
    // A file has one owner; of many nodes on one PostgreSQL none may push the leader aside.
    takeOver: (options.owner ?? false) && !isPostgres(options.url),
    ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
    ...(onError ? { onError } : {}),
    ...(onFatal ? { onFatal } : {}),
  })
  if (options.services ?? true) engine.start()
  return engine
}

function openStore(options: OpenOptions, clock: Clock): Promise<Store> {
  const {
    url,
    owner = false,
    durability = 'full',
    defaults = {},
    maxDatabaseBytes = null,
    onError,
    onWarning,
  } = options
  if (isPostgres(url)) {
    const told = { ...(onError && { onError }), ...(onWarning && { onWarning }) }
    return openPostgresStore({ url, time: databaseTime, defaults, ...told })
  }
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1]
  if (file === undefined) {
    const schemes = 'sqlite:./data/queue.db or postgres://user@host/database'
    throw new Error(`Cannot open ${url.replace(/:.*/s, ':…')}; use an address like ${schemes}.`)
  }
  return openSqliteStore({ file, clock, owner, durability, defaults, maxBytes: maxDatabaseBytes })
}

function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url)
}
