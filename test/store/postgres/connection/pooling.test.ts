/** Detection of transaction pooling by the backend process of two clients. `npm run proof:pgbouncer` tests a real pooler. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPostgres } from '../../../../server/store/postgres/connection/open.ts'
import { isDirect, sharesConnections } from '../../../../server/store/postgres/connection/pooling.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'

describe('two clients', () => {
  it.each([
    ['of a session pooler, or of PostgreSQL itself', [1], [2], false],
    ['that get the connection that became free last', [1], [1], true],
    ['whose pooler takes turns among three connections', [1, 2, 3], [4], true],
    ['of a pooler that is busy with others in the first round', [1, 1, 1, 7], [2], true],
  ])('%s', async (_, one, two, shares) => {
    expect(await sharesConnections(serving(one), serving(two))).toBe(shares)
  })
})

it('recognises a direct connection to PostgreSQL by the id of its backend process', async () => {
  const { pool } = await connectPostgres(await testDatabase())
  onTestFinished(() => pool.end())
  const client = await pool.connect()
  onTestFinished(() => client.release())
  const { rows } = await client.query('select pg_backend_pid() as pid')
  expect([isDirect(client, rows[0].pid), isDirect(client, rows[0].pid + 1)]).toEqual([true, false])
})

/** The last process serves all later calls. */
function serving(pids: readonly number[]): () => Promise<number> {
  let asked = 0
  return async () => pids[Math.min(asked++, pids.length - 1)] ?? 0
}
