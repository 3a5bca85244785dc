/** A migrated SQLite database with rows inserted by a test, for reads without a writer. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { createReads, type ReadOptions } from '../../../server/store/sqlite/reads/reads.ts'
import type { SyncReads } from '../../../server/store/sqlite/reads/sync-reads.ts'
import { DEFAULTS } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status.ts'
import { START } from '../../support/test-clock.ts'
import { jobRows, type RowOptions, type TestRows, type Values } from '../reads/rows.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../drizzle/sqlite/migrations/', import.meta.url))

export class Rows implements TestRows {
  readonly client: Database.Database
  readonly #statements = new Map<string, Database.Statement<unknown[]>>()
  #seq = 0

  /** Closed at the end of the test. */
  constructor(file = ':memory:') {
    this.client = new Database(file)
    onTestFinished(() => void this.client.close())
    this.client.pragma('journal_mode = WAL')
    this.client.pragma('synchronous = OFF')
    for (const name of readdirSync(MIGRATIONS).filter((entry) => entry.endsWith('.sql'))) {
      for (const sql of readFileSync(join(MIGRATIONS, name), 'utf8').split('--> statement-breakpoint')) {
        this.client.exec(sql)
      }
    }
  }

  reads(options: Partial<ReadOptions> = {}): SyncReads {
    return createReads(this.client, { now: () => START, defaults: DEFAULTS, searchBudgetMs: 10_000, ...options })
  }

  insert(table: string, values: Values): void {
    const names = Object.keys(values)
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.client.prepare(sql)
      this.#statements.set(sql, statement)
    }
    statement.run(...Object.values(values))
  }

  job(options: RowOptions = {}): string {
    const seq = Number(options.columns?.seq ?? this.#seq + 1)
    this.#seq = seq
    const { id, type, status, rows } = jobRows(seq, options)
    for (const [table, values] of rows) this.insert(table, values)
    this.#count(type, status)
    return id
  }

  batch(write: () => void): void {
    this.client.transaction(write)()
  }

  #count(type: string, status: Status): void {
    const sql = 'INSERT INTO millrace_job_counts VALUES (?, ?, 1) ON conflict do UPDATE SET n = n + 1'
    const statement = this.#statements.get(sql) ?? this.client.prepare(sql)
    this.#statements.set(sql, statement)
    statement.run(type, status)
  }
}
