/** One transaction under way: its connection, its instant, and short words for queries on it. */
import { drizzle } from 'drizzle-orm/node-postgres'
import type { PoolClient, QueryResultRow } from 'pg'
import type { StoreTimeSource } from './clock.ts'
import { pipelined } from './pipelined.ts'

/** What it takes to store new jobs: a transaction of ours, or one that a caller brought. */
export interface Statements {
  readonly now: number
  /** Goes before the names of tables: empty where the search path finds them. */
  readonly schema: string
  rows<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>
  run(name: string, text: string, values: readonly unknown[]): Promise<number>
  send(name: string, text: string, values: readonly unknown[]): void
}

/**
 * All that a commit touches it finds by index, however few rows the statistics of the last minute promise: a queue fills and
 * empties faster than they are gathered. Bitmap scans are off too, because they return rows unordered: statistics of a queue that
 * was empty make reading and sorting all jobs that wait look as cheap as the first entry of an index. Up to version 17 PostgreSQL
 * adds 10^10 to the cost of a scan that is switched off and has no substitute, which would make JIT compile the statement each
 * time, for 100 ms and more: off as well, and here, because what a connection set when it was made is lost behind some poolers.
 */
const BEGIN =
  'BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off'

/**
 * A Drizzle transaction whose statements are raw and named. The connection is pipelined: statements travel as soon as they are
 * asked for and run in that order, so asking for several before waiting for any costs one trip to the server.
 */
export class Session implements Statements {
  readonly client: PoolClient
  readonly schema = ''
  private time: StoreTimeSource | null = null
  private instant: number | null = null
  private readonly unanswered: Promise<void>[] = []
  private firstError: unknown = null
  /** The connection did not take ROLLBACK either, so that it must not be used again. */
  private broken = false

  constructor(client: PoolClient) {
    this.client = client
  }

  /** Drizzle sends BEGIN, then COMMIT when `run` has ended well, else ROLLBACK, whose failure would hide the reason for it. */
  transaction<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    const client = pipelined(this.client, {
      begin: BEGIN,
      begun: (answer) => this.keep(answer),
      failed: (text, error) => {
        if (text === 'rollback') this.broken = true
        else this.firstError ??= error
      },
    })
    return drizzle({ client }).transaction(async () => {
      try {
        const answer = await run()
        await this.written()
        return answer
      } catch (error) {
        this.firstError ??= error
        throw error
      }
    })
  }

  get isBroken(): boolean {
    return this.broken
  }

  async begin(time: StoreTimeSource): Promise<void> {
    this.time = time
    await this.lookAtClock()
  }

  /** After a lock was waited for: what is counted by time from here on begins now, not before the wait. */
  async lookAtClock(): Promise<void> {
    if (this.time) this.instant = await this.time.now(this.client)
  }

  /** The database's instant at the beginning of this commit, or of its claims: every statement gets it as a parameter. */
  get now(): number {
    if (this.instant === null) throw new Error('This transaction has not begun.')
    return this.instant
  }

  /** Named, so that the server plans it once per connection. */
  async rows<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.query<Row>(name, text, values)).rows
  }

  /** How many rows it touched. */
  async run(name: string, text: string, values: readonly unknown[]): Promise<number> {
    return (await this.query(name, text, values)).rowCount ?? 0
  }

  /** For a write with nothing to tell but `touched`, the number of rows it must touch: the commit waits for it. */
  send(name: string, text: string, values: readonly unknown[], touched: number | null = null): void {
    this.keep(
      this.run(name, text, values).then((count) => {
        if (touched !== null && count !== touched) {
          throw new Error(`${name} touched ${count} rows where ${touched} were decided about.`)
        }
      }),
    )
  }

  /** Every write is known to have done what was decided; only then may the transaction commit. */
  async written(): Promise<void> {
    await Promise.all(this.unanswered)
  }

  /** What failed first: in a pipeline the statements behind it fail as well, and then perhaps ROLLBACK. */
  cause(error: unknown): unknown {
    return this.firstError ?? error
  }

  private async query<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]) {
    try {
      return await this.client.query<Row>({ name, text, values: [...values] })
    } catch (error) {
      this.firstError ??= error
      throw error
    }
  }

  private keep(answer: Promise<unknown>): void {
    const done = answer.then(() => {})
    // Whoever waits for it later must not find that Node has given up on it before.
    done.catch(() => {})
    this.unanswered.push(done)
  }
}

/** One array per column: how a set of rows travels into `unnest`. */
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
