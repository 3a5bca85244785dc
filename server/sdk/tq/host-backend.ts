/** Host backend: jobs in the application's own SQLite file, committed when `add` returns. */
import { type HostHandle, openHostDatabaseSync } from '../../compose/host-database.ts'
import { type TqBackend, toQueueStats } from './backend.ts'
import type { Settings } from './options.ts'
import type { QueueStats } from './tq-interface.ts'

export function openHostBackend(db: HostHandle, { clock, onError, onWarning }: Settings): TqBackend<QueueStats> {
  const { engine, direct, isInTransaction } = openHostDatabaseSync(db, { clock, onError, onWarning })
  return {
    queue: Promise.resolve(engine),
    isLocal: true,
    add(input) {
      // Inside a transaction of the application the job commits or rolls back with it.
      return isInTransaction() ? engine.enqueueTx(db, input) : direct.enqueue(input)
    },
    stats: () => toQueueStats(direct.counts()),
    flush: async () => {},
    close: () => engine.close(),
  }
}
