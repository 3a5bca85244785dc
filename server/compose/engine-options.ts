/** What a database address and the options beside it mean to an engine, and to the store of a SQLite file. */
import type { Clock } from '../base/clock.ts'
import type { EngineOptions } from '../engine/engine.ts'
import type { SqliteStoreOptions } from '../store/sqlite/store.ts'
import type { OpenOptions } from './open-engine.ts'

const IN_MEMORY = 'sqlite::memory:'

export function engineOptions(options: OpenOptions, clock: Clock): Omit<EngineOptions, 'store'> {
  const { url, maxPayloadBytes, onError, onWarning, onFatal } = options
  return {
    clock,
    // A file has one owner; of many nodes on one PostgreSQL none may push the leader aside.
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
  const told = { ...(onWarning && { onWarning }), ...(onError && { onError }) }
  // Without services it assists another engine, as the heartbeat thread does, or is a single command.
  const keepModes = options.services === false
  return { file, clock, owner, durability, defaults, keepModes, maxBytes: maxDatabaseBytes, ...told }
}

export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url)
}
