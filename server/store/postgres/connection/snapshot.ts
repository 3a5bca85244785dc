/** Snapshot reads: a read-only transaction whose statements all see the same rows. */
import type { Pool, PoolClient } from 'pg'

// JIT is off: compiling a plan takes longer than any of these reads.
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = off'

/**
 * For reads of the first entries of an index: with statistics of an empty queue, reading and sorting all entries looks as cheap.
 */
export const IN_INDEX_ORDER = '; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off'

export async function inSnapshot<Result>(
  pool: Pool,
  read: (client: PoolClient) => Promise<Result>,
  settings: '' | typeof IN_INDEX_ORDER = '',
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query(`${BEGIN}${settings}`)
    const result = await read(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // Closes the connection: it may be in an unknown state.
    client.release(true)
    throw error
  }
}
