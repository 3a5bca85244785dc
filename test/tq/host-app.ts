/** Test application with a `tq` on its database: a file with one table, a virtual clock, and recorded events. */
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
  /** Background errors and warnings of `tq`; a test that expects some removes them. */
  readonly errors: unknown[]
  readonly warnings: string[]
  readonly callbacks: Pick<Required<TqOptions>, 'clock' | 'onError' | 'onWarning'>
  /** A number, read on a separate connection. */
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
    callbacks: { clock, onError: (error) => errors.push(error), onWarning: (message) => warnings.push(message) },
    count: (from) => other.prepare(`SELECT count(*) FROM ${from}`).pluck().get(),
  }
}

/** With a `tq` that is stopped at the end of the test. */
export async function hostTq(options: Partial<TqOptions> = {}): Promise<HostApp & { readonly tq: Tq<QueueStats> }> {
  const app = await hostApp()
  const tq = createTq({ db: app.db, ...app.callbacks, ...options })
  endWithTest(tq, app.clock)
  return { ...app, tq }
}

/** Cleanups run in reverse order, so this runs before the file is closed. */
export function endWithTest(tq: Pick<Tq, 'stop'>, clock: TestClock): void {
  onTestFinished(async () => {
    const stopping = tq.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  })
}
