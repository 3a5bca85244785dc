/** Cache of prepared list statements, whose SQL depends on the filter; the oldest is evicted first. */
import type { Key } from '../../list/list-key.ts'
import type { KeyRow } from '../../rows/list-keys.ts'
import type { Client } from '../connection/open.ts'
import type { SqlValue } from './list-filter.ts'

const MAX_STATEMENTS = 100

/** Returns the keys that `sql` selects with KEY_COLUMNS or SEQ_COLUMNS. */
export type SelectKeys = (sql: string, params: readonly SqlValue[]) => readonly Key[]

export function createSelectKeys(client: Client): SelectKeys {
  const prepare = (sql: string) => client.prepare<SqlValue[], KeyRow>(sql)
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
