/** Opens an engine on a SQLite file synchronously, with synchronous methods. */
import { systemClock } from '../base/clock.ts'
import { createDirectEngine, type DirectEngine } from '../engine/engine.ts'
import { openSqliteStoreSync } from '../store/sqlite/store.ts'
import { engineOptions, sqliteOptions } from './engine-options.ts'
import type { OpenOptions } from './open-engine.ts'

/** `isHosted`: the file belongs to an application, so its permissions are kept. */
export function openEngineSync(options: OpenOptions, isHosted = false): DirectEngine {
  const { clock = systemClock } = options
  const sqlite = sqliteOptions(options, clock)
  const store = openSqliteStoreSync(isHosted ? { ...sqlite, keepModes: true } : sqlite)
  const opened = createDirectEngine({ store, ...engineOptions(options, clock) })
  if (options.services ?? true) opened.engine.start()
  return opened
}
