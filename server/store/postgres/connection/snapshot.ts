/** Several reads of one moment: a read-only transaction whose statements all see the same rows. */
import type { Pool, PoolClient } from 'pg'

// Compiling a plan takes longer than any of these reads may.
const BEGIN = 'begin isolation level repeatable read read only; set local jit = off'

/**
 * For reads that want the first entries of an index: statistics of a queue that was empty make reading all entries, and sorting
 * them, look as cheap.
 */
export const IN_INDEX_ORDER = '; set local enable_bitmapscan = off; set local enable_seqscan = off'

export async function inSnapshot<Result>(
  pool: Pool,
  read: (client: PoolClient) => Promise<Result>,
  settings: '' | typeof IN_INDEX_ORDER = '',
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query(`${BEGIN}${settings}`)
    const result = await read(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // Whether it can still be used is not worth finding out.
    client.release(true)
    throw error
  }
}
