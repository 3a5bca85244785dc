/** Sorts jobs by claim order without an index, within the time budget; refuses when it runs out. */
import type { PoolClient } from 'pg'
import { tooManyToSort } from '../../list/list-key.ts'
import { KEY_COLUMNS } from '../../rows/list-keys.ts'
import { behindInClaimOrder } from './gather.ts'
import { type SqlFilter, typeAndStatusIs } from './list-filter.ts'
import { Statement } from './statement.ts'
import { selectKeys, type Walk, WITH_BODIES } from './walk.ts'

const QUERY_CANCELED = '57014'

export function sortWalk(client: PoolClient, filter: SqlFilter, budgetMs: number): Walk {
  return async (after, _pace, need) => {
    const statement = new Statement()
    const tests = [
      ...typeAndStatusIs(filter),
      ...filter.row,
      ...filter.body,
      ...(after ? [behindInClaimOrder(after)] : []),
    ]
    const bodies = filter.body.length > 0 ? WITH_BODIES : ''
    const text = `SELECT ${KEY_COLUMNS} FROM millrace_jobs j ${bodies} WHERE TRUE${statement.and(tests)}
      ORDER BY j.priority DESC, j.run_at, j.seq LIMIT ${statement.value(need)}`
    // 0 would mean no timeout.
    await client.query(`SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(budgetMs))}`)
    try {
      const matches = await selectKeys(client, text, statement.values)
      await client.query('SET LOCAL statement_timeout TO DEFAULT')
      return { matches, last: null }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) throw tooManyToSort()
      throw error
    }
  }
}
