/** Time source of the PostgreSQL store: read once per commit or read, then passed to every statement. */
import { type Clock, systemClock } from '../../../base/clock.ts'
import type { NamedQueryable } from './open.ts'

export interface StoreTimeSource {
  /** Milliseconds UTC. */
  now(queryable: NamedQueryable): Promise<number>
  /** The same as an SQL expression, for statements that also read other data. */
  sql(): string
  /** The instant, if this process knows it without the database: for tests. */
  fixed(): number | null
  /** Monotonic time of this process, to detect jumps of the clock. */
  monotonic(): number
  /** As in Clock. */
  asleepMs?(): number
}

/** Not now(), which is constant during a transaction, even one that waited for a lock. */
export const NOW_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

/**
 * For statements that are sent before the instant of the commit is known: a parameter with a given instant, else the beginning of
 * the transaction, which is the same for all of its statements.
 */
export function instantOr(parameter: string): string {
  return `coalesce(${parameter}::bigint, floor(extract(epoch from transaction_timestamp()) * 1000)::bigint)`
}

/** The same for statements behind a wait for a lock: the instant at which they run. */
export function clockOr(parameter: string): string {
  return `coalesce(${parameter}::bigint, ${NOW_MS})`
}

/** The clock of the database server, shared by all nodes. */
export const databaseTime: StoreTimeSource = {
  async now(queryable) {
    const { rows } = await queryable.query<{ now: number }>({ name: 'read-now', text: `SELECT ${NOW_MS} AS now` })
    const [row] = rows
    if (!row) throw new Error('PostgreSQL did not return its current time.')
    return row.now
  },
  sql: () => NOW_MS,
  fixed: () => null,
  monotonic: () => systemClock.monotonic(),
  asleepMs: () => systemClock.asleepMs?.() ?? 0,
}

/** For tests: a clock that the test controls. */
export function clockTime(clock: Pick<Clock, 'now'> & Partial<Clock>): StoreTimeSource {
  const monotonic = () => clock.monotonic?.() ?? clock.now()
  const asleepMs = () => clock.asleepMs?.() ?? 0
  const now = () => clock.now()
  return { now: async () => now(), sql: () => `${now()}::bigint`, fixed: now, monotonic, asleepMs }
}
