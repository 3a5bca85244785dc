/** How a pooler gives itself away: by the process that serves each of two clients. `npm run proof:pgbouncer` asks a real one. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../server/store/postgres/connection/open.ts'
import { isDirect, sharesConnections } from '../../../server/store/postgres/connection/pooling.ts'
import { testDatabase } from '../../support/postgres/postgres.ts'

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

it('knows a connection to PostgreSQL itself by the id of its process', async () => {
  const { pool } = await openDatabase(await testDatabase())
  onTestFinished(() => pool.end())
  const client = await pool.connect()
  onTestFinished(() => client.release())
  const { rows } = await client.query('select pg_backend_pid() as pid')
  expect([isDirect(client, rows[0].pid), isDirect(client, rows[0].pid + 1)]).toEqual([true, false])
})

/** The last one serves all that follow. */
function serving(pids: readonly number[]): () => Promise<number> {
  let asked = 0
  return async () => pids[Math.min(asked++, pids.length - 1)] ?? 0
}
