/** Maps `OpenOptions` to the options of the engine and of the SQLite store. */
import type { Clock } from '../base/clock.ts'
import type { EngineOptions } from '../engine/engine-options.ts'
import type { SqliteStoreOptions } from '../store/sqlite/store.ts'
import type { OpenOptions } from './open-engine.ts'

const IN_MEMORY = 'sqlite::memory:'

export function engineOptions(options: OpenOptions, clock: Clock): Omit<EngineOptions, 'store'> {
  const { url, maxPayloadBytes, onError, onWarning, onFatal } = options
  return {
    clock,
    // A file has one owner. On PostgreSQL several nodes share the database, so the leader keeps its lead.
    takeOver: (options.owner ?? false) && !isPostgres(url),
    ...(url === IN_MEMORY ? {} : { url }),
    ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
    ...(onError ? { onError } : {}),
    ...(onWarning ? { onWarning } : {}),
    ...(onFatal ? { onFatal } : {}),
  }
}

export function sqliteOptions(options: OpenOptions, clock: Clock): SqliteStoreOptions {
  const { url, owner = false, durability = 'full', defaults = {}, maxDatabaseBytes = null } = options
  const { onWarning, onError } = options
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1]
  if (file === undefined) {
    const schemes = 'sqlite:./data/queue.db or postgres://user@host/database'
    const given = typeof url === 'string' && url !== '' ? `Cannot open ${url.replace(/:.*/s, ':…')}` : 'url is missing'
    throw new Error(`${given}; use an address like ${schemes}.`)
  }
  const callbacks = { ...(onWarning && { onWarning }), ...(onError && { onError }) }
  // Without services this is a helper of another engine (heartbeat thread) or a single command.
  const keepModes = options.services === false
  return { file, clock, owner, durability, defaults, keepModes, maxBytes: maxDatabaseBytes, ...callbacks }
}

export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url)
}
