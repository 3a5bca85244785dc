/** Builds a running engine on a SQLite file at once, with verbs that have happened when they return. */
import { systemClock } from '../base/clock.ts'
import { createDirectEngine, type DirectEngine } from '../engine/engine.ts'
import { openSqliteStoreNow } from '../store/sqlite/store.ts'
import { engineOptions, sqliteOptions } from './engine-options.ts'
import type { OpenOptions } from './open-engine.ts'

/** `isHosted`: the file is an application's own, whose mode it decides. */
export function openDirectEngine(options: OpenOptions, isHosted = false): DirectEngine {
  const { clock = systemClock } = options
  const sqlite = sqliteOptions(options, clock)
  const store = openSqliteStoreNow(isHosted ? { ...sqlite, keepModes: true } : sqlite)
  const opened = createDirectEngine({ store, ...engineOptions(options, clock) })
  if (options.services ?? true) opened.engine.start()
  return opened
}
