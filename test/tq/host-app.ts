/** Applications with a `tq` on their own database: a file with a table of theirs, a clock that stands still, and what was told. */
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { QueueStats, Tq, TqOptions } from '../../server/sdk/entries/tq.ts'
import { createTq } from '../../server/sdk/tq/tq.ts'
import { makeTempFolder } from '../support/temp.ts'
import { TestClock } from '../support/test-clock.ts'

export interface HostApp {
  readonly file: string
  readonly db: BetterSqlite.Database
  readonly drizzleDb: BetterSQLite3Database
  readonly clock: TestClock
  /** What `tq` told nobody in particular; a test that expects some takes them out. */
  readonly errors: unknown[]
  readonly warnings: string[]
  readonly told: Pick<Required<TqOptions>, 'clock' | 'onError' | 'onWarning'>
  /** A number, read on a connection of its own. */
  count(from: string): unknown
}

export async function hostApp(): Promise<HostApp> {
  const folder = await makeTempFolder()
  const file = join(folder.path, 'app.db')
  const db = new BetterSqlite(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE orders (id TEXT PRIMARY KEY)')
  const other = new BetterSqlite(file)
  const [errors, warnings]: [unknown[], string[]] = [[], []]
  const clock = new TestClock()
  onTestFinished(async () => {
    db.close()
    other.close()
    await folder.remove()
    expect([errors, warnings, clock.pendingTimers]).toEqual([[], [], 0])
  })
  return {
    ...{ file, db, clock, errors, warnings },
    drizzleDb: drizzle({ client: db }),
    told: { clock, onError: (error) => errors.push(error), onWarning: (message) => warnings.push(message) },
    count: (from) => other.prepare(`SELECT count(*) FROM ${from}`).pluck().get(),
  }
}

/** With a `tq` that ends with the test. */
export async function hostTq(options: Partial<TqOptions> = {}): Promise<HostApp & { readonly tq: Tq<QueueStats> }> {
  const app = await hostApp()
  const tq = createTq({ db: app.db, ...app.told, ...options })
  endWithTest(tq, app.clock)
  return { ...app, tq }
}

/** Tests end in the opposite order of their beginnings: before the file is closed. */
export function endWithTest(tq: Pick<Tq, 'stop'>, clock: TestClock): void {
  onTestFinished(async () => {
    const stopping = tq.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  })
}
