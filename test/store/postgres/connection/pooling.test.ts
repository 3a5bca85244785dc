/** Detection and refusal of transaction pooling. `npm run proof:pgbouncer` tests a real pooler. */
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../../server/compose/open-engine.ts'
import { connectPostgres } from '../../../../server/store/postgres/connection/open.ts'
import { isDirect, sharesConnections } from '../../../../server/store/postgres/connection/pooling.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { type Pooling, pooler } from '../../../support/proxies/pooler.ts'

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

describe('an engine behind a pooler', () => {
  it.each<Pooling>([
    { mode: 'transaction' },
    { mode: 'transaction', takesTurns: true },
    { mode: 'transaction', size: 1 },
    { mode: 'statement' },
  ])('refuses to start with advice, and changes no setting of other clients: %o', async (pooling) => {
    const url = await pooler(await testDatabase(), pooling)
    const opened = openEngine({ url }).then((engine) => engine.close())
    await expect(opened).rejects.toThrow('pool_mode = session')
    const other = new Client({ connectionString: url })
    await other.connect()
    onTestFinished(() => other.end())
    for (let n = 0; n < 10; n++) {
      expect((await other.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
    }
  })

  it('starts with session pooling', async () => {
    const engine = await openEngine({ url: await pooler(await testDatabase(), { mode: 'session' }) })
    onTestFinished(() => engine.close())
    const { id } = await engine.enqueue({ type: 'mail', payload: 1 })
    expect(await engine.claim({ worker: 'ada' })).toMatchObject([{ id }])
  })
})

/** The last process serves all later calls. */
function serving(pids: readonly number[]): () => Promise<number> {
  let asked = 0
  return async () => pids[Math.min(asked++, pids.length - 1)] ?? 0
}
