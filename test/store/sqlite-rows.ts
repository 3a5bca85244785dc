/** A migrated SQLite database whose rows a test writes by hand, for reads without a writer. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { createReads, type ReadOptions } from '../../server/store/sqlite/reads.ts'
import type { SyncReads } from '../../server/store/sqlite/sync-reads.ts'
import { isTerminal, type Status } from '../../shared/status.ts'
import { DEFAULTS } from '../../shared/type-settings.ts'
import { START } from '../support/test-clock.ts'

const MIGRATIONS = fileURLToPath(new URL('../../drizzle/sqlite/migrations/', import.meta.url))

export type Values = Readonly<Record<string, string | number | null>>

export interface RowOptions {
  readonly status?: Status
  readonly type?: string
  readonly payload?: unknown
  readonly result?: unknown
  /** Further columns of jobs. */
  readonly columns?: Values
}

export class Rows {
  readonly client: Database.Database
  readonly #statements = new Map<string, Database.Statement<unknown[]>>()
  #seq = 0

  /** Closed when the test ends. */
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
    const sql = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.client.prepare(sql)
      this.#statements.set(sql, statement)
    }
    statement.run(...Object.values(values))
  }

  /** A job with its body and its count; the state rules of the table are kept. Gives its id. */
  job(options: RowOptions = {}): string {
    const seq = Number(options.columns?.seq ?? this.#seq + 1)
    this.#seq = seq
    const { status = 'pending', type = 'report' } = options
    const id = String(options.columns?.id ?? idOf(seq))
    const lease = status === 'processing' ? { lease_until: START + 7_000, lease_ms: 9_000, locked_by: 'worker-1' } : {}
    const finish = isTerminal(status) ? { finished_at: START + 3_000 + seq } : {}
    const times = { run_at: START + seq, created_at: START + 1_000 + seq, updated_at: START + 2_000 + seq }
    this.insert('jobs', { seq, id, type, status, ...times, ...lease, ...finish, ...options.columns })
    this.insert('job_bodies', { seq, payload: JSON.stringify(options.payload ?? { n: seq }) })
    if (options.result !== undefined) this.insert('job_results', { seq, result: JSON.stringify(options.result) })
    this.#count(type, status)
    return id
  }

  /** Many rows in one transaction. */
  batch(write: () => void): void {
    this.client.transaction(write)()
  }

  #count(type: string, status: Status): void {
    const sql = 'insert into job_counts values (?, ?, 1) on conflict do update set n = n + 1'
    const statement = this.#statements.get(sql) ?? this.client.prepare(sql)
    this.#statements.set(sql, statement)
    statement.run(type, status)
  }
}

export function idOf(seq: number): string {
  return `018f6f0e-0000-7000-8000-${seq.toString(16).padStart(12, '0')}`
}
