/** Gathers the statements of one turn of the event loop into one batch. */
import type { PoolClient, QueryResult, QueryResultRow } from 'pg'
import { type Statement, StatementBatch } from './statement-batch.ts'

export class Batches {
  private readonly client: PoolClient
  private open: StatementBatch | null = null

  constructor(client: PoolClient) {
    this.client = client
  }

  add<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    if (!this.open) {
      this.open = new StatementBatch()
      // After the microtasks: the statements of one commit are added in several of them.
      process.nextTick(() => this.flush())
    }
    return this.open.add(statement)
  }

  /** Sends what was gathered. Before any statement that is sent directly. */
  flush(): void {
    const batch = this.open
    this.open = null
    if (batch) this.client.query(batch)
  }
}
