/** The statements of lists, whose text depends on the filter: prepared on first use, the oldest forgotten first. */

import type { Key } from '../../list/list-key.ts'
import type { Client } from '../connection/open.ts'
import type { SqlValue } from './list-filter.ts'

const MAX_STATEMENTS = 100

/** Gives the keys that `sql` selects as seq, priority and runAt. */
export type SelectKeys = (sql: string, params: readonly SqlValue[]) => readonly Key[]

export function createSelectKeys(client: Client): SelectKeys {
  const prepare = (sql: string) => client.prepare<SqlValue[], Key>(sql)
  const cache = new Map<string, ReturnType<typeof prepare>>()
  return (sql, params) => {
    const cached = cache.get(sql)
    const statement = cached ?? prepare(sql)
    if (!cached) {
      const [oldest] = cache.keys()
      if (oldest !== undefined && cache.size >= MAX_STATEMENTS) cache.delete(oldest)
      cache.set(sql, statement)
    }
    return statement.all(...params)
  }
}
