/** Opens an engine synchronously on the SQLite file of an application. */
import { QueueError } from '../../shared/errors.ts'
import type { SqliteTransaction } from '../../shared/host-transaction.ts'
import type { DirectEngine } from '../engine/engine.ts'
import { UnusableFile } from '../store/sqlite/connection/open-errors.ts'
import { findClient, mainFile } from '../store/sqlite/host/host-client.ts'
import type { OpenOptions } from './open-engine.ts'
import { openEngineSync } from './open-engine-sync.ts'

/** A better-sqlite3 `Database`, or a Drizzle database on one. */
export type HostHandle = SqliteTransaction

export interface HostDatabase extends DirectEngine {
  /** The application's connection is in a transaction: its writes commit or roll back with it. */
  isInTransaction(): boolean
}

/** The engine opens a second connection; only `enqueueTx` uses that of the application. */
export function openHostDatabaseSync(handle: HostHandle, options: Omit<OpenOptions, 'url'>): HostDatabase {
  const client = findClient(handle)
  if (!client) {
    throw new QueueError('BAD_INPUT', 'db must be an open better-sqlite3 Database, or a Drizzle database on one.')
  }
  if (client.inTransaction) {
    throw new QueueError(
      'WRONG_STATE',
      'db is in a transaction, during which the queue cannot open its file; open the queue before it.',
    )
  }
  const file = mainFile(client)
  if (file === '') {
    throw new QueueError(
      'BAD_INPUT',
      'db is in memory, and the queue needs a second connection, which cannot open it. Open db on a ' +
        "file, or use a separate queue in memory: { url: 'sqlite::memory:' }.",
    )
  }
  return { ...openFile(file, options), isInTransaction: () => client.inTransaction }
}

function openFile(file: string, options: Omit<OpenOptions, 'url'>): DirectEngine {
  try {
    return openEngineSync({ ...options, url: `sqlite:${file}` }, true)
  } catch (error) {
    throw error instanceof UnusableFile ? new QueueError('WRONG_STATE', error.message) : error
  }
}
