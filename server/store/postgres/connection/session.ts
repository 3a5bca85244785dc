/** One open transaction: its connection, its instant, and helpers for statements on it. */
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PoolClient, QueryResultRow } from 'pg'
import { Batches } from './batches.ts'
import type { StoreTimeSource } from './clock.ts'
import type { NamedQueryable } from './open.ts'
import { pipelined } from './pipelined.ts'
import type { Statement } from './statement-batch.ts'

/** Statements for storing new jobs: in a transaction of the queue, or in one of the caller. */
export interface Statements {
  readonly now: number
  /** `now`, or null while it is not known: statements then use the beginning of the transaction. */
  readonly instant: number | null
  /** Prefix of table names; empty where the search path finds the tables. */
  readonly schema: string
  rows<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>
  run(name: string, text: string, values: readonly unknown[]): Promise<number>
  send(name: string, text: string, values: readonly unknown[]): void
}

/** Drizzle inside an open transaction. */
export type QueryBuilder = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0]

/**
 * A commit finds all rows by index, whatever the statistics predict: a queue fills and empties faster than statistics are
 * gathered. Bitmap scans are off too, because they return rows unordered: with statistics of an empty queue, reading and sorting
 * all waiting jobs looks as cheap as the first entry of an index. Up to version 17 PostgreSQL adds 10^10 to the cost of a disabled
 * scan without substitute, so that JIT would compile the statement each time, for 100 ms and more. JIT is off as well, and here,
 * because settings made when a connection was opened are lost behind some poolers.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
}
const BEGIN = `BEGIN; ${Object.entries(SETTINGS)
  .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  .join('; ')}`

/**
 * For plain commits, whose statements have one good plan. Otherwise PostgreSQL plans a claim each time it runs, because the estimated
 * cost without values is higher. With kept plans a worker with concurrency 1 finishes 25 % more jobs (7 interleaved rounds).
 */
const PLAIN_SETTINGS = `SELECT ${Object.entries({ ...SETTINGS, plan_cache_mode: 'force_generic_plan' })
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ')}`

const BEGIN_PLAIN: Statement = { name: 'plain-begin', text: 'BEGIN;', values: [] }
const COMMIT: Statement = { name: 'plain-commit', text: 'COMMIT', values: [] }

/**
 * awaited: COMMIT is sent when all statements have succeeded. pipelined: it is sent behind the last statements, which saves a round
 * trip; if one of them fails, PostgreSQL answers COMMIT with a rollback.
 */
export type CommitMode = 'awaited' | 'pipelined'

/**
 * A Drizzle transaction. Statements of the hot path are raw and named, control-plane statements use the query builder. The
 * connection is pipelined: statements are sent immediately and run in that order, so sending several before awaiting any of them
 * costs one round trip.
 */
export class Session implements Statements {
  readonly client: PoolClient
  readonly schema = ''
  private time: StoreTimeSource | null = null
  private currentInstant: number | null = null
  private builder: QueryBuilder | null = null
  /** Of a plain commit: the statements of a round trip are sent as one batch. */
  private batches: Batches | null = null
  private readonly pending: Promise<void>[] = []
  private firstError: unknown = null
  /** ROLLBACK failed too: the connection must not be reused. */
  private broken = false

  constructor(client: PoolClient) {
    this.client = client
  }

  /** Drizzle sends BEGIN, then COMMIT when `run` resolves, else ROLLBACK. A failed ROLLBACK would hide the first error. */
  async transaction<Result>(run: () => Promise<Result>, mode: CommitMode = 'awaited'): Promise<Result> {
    const batches = mode === 'pipelined' ? new Batches(this.client) : null
    this.batches = batches
    const client = pipelined(this.client, {
      begin: () => (batches ? beginPlain(batches) : this.client.query(BEGIN)),
      commit: batches ? () => batches.add(COMMIT) : undefined,
      flush: () => batches?.flush(),
      begun: (response) => this.track(response),
      failed: (text, error) => {
        if (text === 'rollback') this.broken = true
        else this.firstError ??= error
      },
    })
    const result = await drizzle({ client }).transaction(async (builder) => {
      this.builder = builder
      try {
        const result = await run()
        if (mode === 'awaited') await this.written()
        return result
      } catch (error) {
        this.firstError ??= error
        throw error
      }
    })
    // Responses arrive in order: with the response to COMMIT, those of all writes are there.
    await this.written()
    return result
  }

  get isBroken(): boolean {
    return this.broken
  }

  /** Query builder of this transaction. Not for the hot path: unprepared statements cost 3.3 times as much as raw ones. */
  get db(): QueryBuilder {
    if (!this.builder) throw new Error('This transaction has not begun.')
    return this.builder
  }

  /** Sends its statements as `rows` does. */
  get queryable(): NamedQueryable {
    return {
      query: <Row extends QueryResultRow>({ name, text, values = [] }: Parameters<NamedQueryable['query']>[0]) =>
        this.query<Row>(name, text, values),
    }
  }

  async begin(time: StoreTimeSource): Promise<void> {
    this.time = time
    await this.readClock()
  }

  /** The instant was read together with other data. */
  beginAt(instant: number): void {
    this.currentInstant = instant
  }

  /** After waiting for a lock: time-based decisions use the instant after the wait. */
  async readClock(): Promise<void> {
    if (this.time) this.currentInstant = await this.time.now(this.queryable)
  }

  /** The instant of a clock that tests control; null: of the database. */
  get fixedInstant(): number | null {
    return this.time?.fixed() ?? null
  }

  /** The database's instant at the beginning of this commit, or of its claims: every statement gets it as a parameter. */
  get now(): number {
    if (this.currentInstant === null) throw new Error('This transaction has not begun.')
    return this.currentInstant
  }

  get instant(): number | null {
    return this.currentInstant
  }

  /** Named, so that the server plans it once per connection. */
  async rows<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.query<Row>(name, text, values)).rows
  }

  /** Resolves to the number of affected rows. */
  async run(name: string, text: string, values: readonly unknown[]): Promise<number> {
    return (await this.query(name, text, values)).rowCount ?? 0
  }

  /** A write without a result. The commit waits for it, and fails unless it affects `touched` rows. */
  send(name: string, text: string, values: readonly unknown[], touched: number | null = null): void {
    if (this.batches && touched !== null) {
      // COMMIT may be behind it already: the statement itself fails, by a division by zero.
      const checked = `WITH touched AS (${text} RETURNING 1)
        SELECT 1 / (count(*) = $${values.length + 1}::bigint)::int AS ok FROM touched`
      this.track(this.rows(name, checked, [...values, touched]))
      return
    }
    this.track(
      this.run(name, text, values).then((count) => {
        if (touched !== null && count !== touched) {
          throw new Error(`Statement ${name} affected ${count} rows instead of ${touched}; the commit is rolled back.`)
        }
      }),
    )
  }

  /** A read or write whose result is used after the commit. */
  later<Result>(response: Promise<Result>): Promise<Result> {
    this.track(response)
    return response
  }

  /** Resolves when all writes have succeeded; only then may the transaction commit. */
  async written(): Promise<void> {
    await Promise.all(this.pending)
  }

  /** The first error: in a pipeline the statements behind a failed one fail as well, and perhaps ROLLBACK. */
  cause(error: unknown): unknown {
    return this.firstError ?? error
  }

  private async query<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]) {
    try {
      if (this.batches) return await this.batches.add<Row>({ name: `plain-${name}`, text, values })
      return await this.client.query<Row>({ name, text, values: [...values] })
    } catch (error) {
      this.firstError ??= error
      throw error
    }
  }

  private track(response: Promise<unknown>): void {
    const done = response.then(() => {})
    // Handled here, because it is awaited later: Node would report an unhandled rejection before that.
    done.catch(() => {})
    this.pending.push(done)
  }
}

async function beginPlain(batches: Batches): Promise<void> {
  await Promise.all([
    batches.add(BEGIN_PLAIN),
    batches.add({ name: 'plain-begin-settings', text: PLAIN_SETTINGS, values: [] }),
  ])
}

/** One array per column, as parameters for `unnest`. */
export function columns<Row, Width extends readonly unknown[]>(
  rows: readonly Row[],
  pick: (row: Row) => readonly [...Width],
): unknown[][] {
  const [first] = rows
  if (first === undefined) return []
  const arrays: unknown[][] = pick(first).map(() => [])
  for (const row of rows) for (const [column, value] of pick(row).entries()) arrays[column]?.push(value)
  return arrays
}
