/** One transaction under way: its connection, its instant, and short words for queries on it. */
import type { PoolClient, QueryResultRow } from 'pg'

export class Session {
  readonly client: PoolClient
  /** The database's instant at the beginning of this commit: every statement gets it as a parameter. */
  readonly now: number

  constructor(client: PoolClient, now: number) {
    this.client = client
    this.now = now
  }

  /** Named, so that the server plans it once per connection. */
  async rows<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>({ name, text, values: [...values] })).rows
  }

  /** How many rows it touched. */
  async run(name: string, text: string, values: readonly unknown[]): Promise<number> {
    return (await this.client.query({ name, text, values: [...values] })).rowCount ?? 0
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
