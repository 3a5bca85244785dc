/** The database of an application that has the queue's tables beside its own: an engine on the same file, opened at once. */
import { QueueError } from '../../shared/errors.ts'
import type { DirectEngine } from '../engine/engine.ts'
import type { SqliteTransaction } from '../store/host-transaction.ts'
import { UnfitFile } from '../store/sqlite/connection/open-errors.ts'
import { findClient, mainFile } from '../store/sqlite/host/host-client.ts'
import { openDirectEngine } from './open-direct-engine.ts'
import type { OpenOptions } from './open-engine.ts'

/** A better-sqlite3 `Database`, or Drizzle's database on one. */
export type HostHandle = SqliteTransaction

export interface HostDatabase extends DirectEngine {
  /** What is written through the application's own connection now commits or rolls back with its transaction. */
  isInTransaction(): boolean
}

/** The engine has a connection of its own: only `enqueueTx` uses the application's. */
export function openBeside(handle: HostHandle, options: Omit<OpenOptions, 'url'>): HostDatabase {
  const client = findClient(handle)
  if (!client) {
    throw new QueueError(
      'BAD_INPUT',
      'db must be a better-sqlite3 Database that is open, or a Drizzle database on one.',
    )
  }
  if (client.inTransaction) {
    throw new QueueError('WRONG_STATE', 'A transaction has begun on db, and the queue cannot open its file meanwhile.')
  }
  const file = mainFile(client)
  if (file === '') {
    throw new QueueError(
      'BAD_INPUT',
      'This db is in memory, where no second connection can reach it, and the queue needs one of its own. Open db on a ' +
        "file, or let the queue live in a memory of its own: { url: 'sqlite::memory:' }.",
    )
  }
  return { ...openOn(file, options), isInTransaction: () => client.inTransaction }
}

function openOn(file: string, options: Omit<OpenOptions, 'url'>): DirectEngine {
  try {
    return openDirectEngine({ ...options, url: `sqlite:${file}` }, true)
  } catch (error) {
    throw error instanceof UnfitFile ? new QueueError('WRONG_STATE', error.message) : error
  }
}
