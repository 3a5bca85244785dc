/** One question to PostgreSQL, on a connection of its own. */
import { Client } from 'pg'

export async function ask<Row extends object>(url: string, question: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  // Whoever asks is told by the question; the faults break our connections, too.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(question)).rows
  } finally {
    await client.end()
  }
}
