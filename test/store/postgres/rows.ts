/** A PostgreSQL database with rows inserted by a test, for reads without a writer; buffered until the first read. */
import type { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import { clockTime } from '../../../server/store/postgres/connection/clock.ts'
import { connectPostgres } from '../../../server/store/postgres/connection/open.ts'
import { ReadSlots } from '../../../server/store/postgres/reads/read-slots.ts'
import { createReads } from '../../../server/store/postgres/reads/reads.ts'
import type { Reads } from '../../../server/store/store.ts'
import { DEFAULTS, type Defaults } from '../../../shared/settings/settings.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres.ts'
import { START } from '../../support/test-clock.ts'
import { jobRows, type RowOptions, type TestRows, type Values } from '../reads/rows.ts'

/** Rows of one table with the same columns. */
interface Heap {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: Values[]
}

export class PostgresRows implements TestRows {
  #heaps = new Map<string, Heap>()
  #seq = 0
  #database: TestDatabase | undefined
  #pool: Pool | undefined

  constructor() {
    onTestFinished(async () => {
      await this.#pool?.end()
      await this.#database?.drop()
    })
  }

  insert(table: string, values: Values): void {
    const columns = Object.keys(values)
    const name = `${table} (${columns.join(', ')})`
    const heap = this.#heaps.get(name) ?? { table, columns, rows: [] }
    this.#heaps.set(name, heap)
    heap.rows.push(values)
  }

  job(options: RowOptions = {}): string {
    const seq = Number(options.columns?.seq ?? this.#seq + 1)
    this.#seq = seq
    const { id, type, status, rows } = jobRows(seq, options)
    for (const [table, values] of rows) this.insert(table, values)
    // As if each job had been enqueued by a different node.
    this.insert('millrace_job_counts', { type, status, node: `node-${seq}`, n: 1 })
    return id
  }

  batch(write: () => void): void {
    write()
  }

  async reads(options: { readonly defaults?: Defaults; readonly searchBudgetMs?: number } = {}): Promise<Reads> {
    const pool = await this.pool()
    const time = clockTime({ now: () => START })
    return createReads({
      open: () => pool,
      slots: new ReadSlots(1),
      time,
      defaults: DEFAULTS,
      searchBudgetMs: 10_000,
      ...options,
    })
  }

  /** Pool of the database, after writing all buffered rows. */
  async pool(): Promise<Pool> {
    this.#database ??= await createDatabase()
    this.#pool ??= (await connectPostgres(this.#database.url)).pool
    // Parents first.
    const heaps = [...this.#heaps.values()].sort(
      (a, b) => Number(b.table === 'millrace_jobs') - Number(a.table === 'millrace_jobs'),
    )
    this.#heaps.clear()
    for (const { table, columns, rows } of heaps) {
      const names = columns.join(', ')
      const text = `INSERT INTO ${table} (${names}) overriding system value
        SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1)`
      await this.#pool.query(text, [JSON.stringify(rows)])
    }
    return this.#pool
  }
}
