/** Runs one PostgreSQL query on a separate connection. */
import { Client } from 'pg'

export async function ask<Row extends object>(url: string, question: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  // Errors are thrown by the query itself; the faults also break this connection.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(question)).rows
  } finally {
    await client.end()
  }
}
