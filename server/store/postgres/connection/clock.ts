/** Where the PostgreSQL store gets its instant from: asked once per commit or read, then passed to every statement. */
import { type Clock, systemClock } from '../../../base/clock.ts'
import type { Queryable } from './open.ts'

export interface StoreTimeSource {
  /** Milliseconds UTC. */
  now(queryable: Queryable): Promise<number>
  /** The same as an expression, for a statement that asks for more than the time. */
  sql(): string
  /** Elapsed time of this process, to compare the other with. */
  monotonic(): number
  /** As in Clock. */
  asleepMs?(): number
}

/** Not now(), which stands still during a transaction that may have waited for a lock. */
export const NOW_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** One clock for all nodes, whatever theirs say. */
export const databaseTime: StoreTimeSource = {
  async now(queryable) {
    const { rows } = await queryable.query<{ now: number }>({ name: 'read-now', text: `select ${NOW_MS} as now` })
    const [row] = rows
    if (!row) throw new Error('PostgreSQL did not say what time it is')
    return row.now
  },
  sql: () => NOW_MS,
  monotonic: () => systemClock.monotonic(),
  asleepMs: () => systemClock.asleepMs?.() ?? 0,
}

/** For tests: the store follows a clock that they move. */
export function clockTime(clock: Pick<Clock, 'now'> & Partial<Clock>): StoreTimeSource {
  const monotonic = () => clock.monotonic?.() ?? clock.now()
  const asleepMs = () => clock.asleepMs?.() ?? 0
  return { now: async () => clock.now(), sql: () => `${clock.now()}::bigint`, monotonic, asleepMs }
}
