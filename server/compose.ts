/** Builds a running engine from a database address: the one place that knows which store belongs to which address. */
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts'
import { openSqliteStore } from './store/sqlite/sqlite-store.ts'
import type { Store } from './store/store.ts'

export interface OpenOptions extends Partial<Omit<Config, 'url'>> {
  /** `sqlite:./data/queue.db`, or `sqlite::memory:` for a queue that ends with the process. */
  readonly url: string
  readonly clock?: Clock
  /** A server owns its file and refuses to share it with a second one. */
  readonly owner?: boolean
  /** Run Scheduler, Rescuer, Cleaner and bulk work here when no other engine does. Default: yes. */
  readonly services?: boolean
  readonly onError?: EngineOptions['onError']
  readonly onFatal?: EngineOptions['onFatal']
}

export async function openEngine(options: OpenOptions): Promise<Engine> {
  const { clock = systemClock, maxPayloadBytes, onError, onFatal } = options
  const store = await openStore(options, clock)
  const engine = createEngine({
    store,
    clock,
    takeOver: options.owner ?? false,
    ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
    ...(onError ? { onError } : {}),
    ...(onFatal ? { onFatal } : {}),
  })
  if (options.services ?? true) engine.start()
  return engine
}

function openStore(options: OpenOptions, clock: Clock): Promise<Store> {
  const { url, owner = false, durability = 'full', defaults = {}, maxDatabaseBytes = null } = options
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1]
  if (file === undefined) {
    throw new Error(`Cannot open ${url.replace(/:.*/s, ':…')}; use an address like sqlite:./data/queue.db.`)
  }
  return openSqliteStore({ file, clock, owner, durability, defaults, maxBytes: maxDatabaseBytes })
}
