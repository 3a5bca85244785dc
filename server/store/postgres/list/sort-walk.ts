/** Sorts a large set by claim order, which no index holds: all of it within the time budget, or an honest refusal. */
import type { PoolClient } from 'pg'
import { tooManyToSort } from '../../list/list-key.ts'
import { behindInClaimOrder } from './gather.ts'
import { kindOf, type SplitFilter } from './list-filter.ts'
import { Statement } from './statement.ts'
import { KEY, selectKeys, type Walk, WITH_BODIES } from './walk.ts'

const QUERY_CANCELED = '57014'

export function sortWalk(client: PoolClient, filter: SplitFilter, budgetMs: number): Walk {
  return async (after, _pace, need) => {
    const statement = new Statement()
    const tests = [...kindOf(filter), ...filter.row, ...filter.body, ...(after ? [behindInClaimOrder(after)] : [])]
    const bodies = filter.body.length > 0 ? WITH_BODIES : ''
    const text = `select ${KEY} from millrace_jobs j ${bodies} where true${statement.and(tests)}
      order by j.priority desc, j.run_at, j.seq limit ${statement.value(need)}`
    // 0 would mean for ever.
    await client.query(`set local statement_timeout = ${Math.max(1, Math.ceil(budgetMs))}`)
    try {
      const matches = await selectKeys(client, text, statement.values)
      await client.query('set local statement_timeout to default')
      return { matches, last: null }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) throw tooManyToSort()
      throw error
    }
  }
}
