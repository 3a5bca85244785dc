/** Jobs beside the tables of an application, in its own SQLite file: what is added is committed on return. */
import { type HostHandle, openBeside } from '../../compose/host-database.ts'
import { type Home, toQueueStats } from './backend.ts'
import type { Settings } from './options.ts'
import type { QueueStats } from './tq-interface.ts'

export function hostHome(db: HostHandle, { clock, onError, onWarning }: Settings): Home<QueueStats> {
  const { engine, direct, isInTransaction } = openBeside(db, { clock, onError, onWarning })
  return {
    queue: Promise.resolve(engine),
    isNear: true,
    add(input) {
      // Inside the application's transaction a job commits, or not, with the rest of it.
      return isInTransaction() ? engine.enqueueTx(db, input) : direct.enqueue(input)
    },
    stats: () => toQueueStats(direct.counts()),
    flush: async () => {},
    close: () => engine.close(),
  }
}
