/** Child process that checks a whole SQLite file for damage while the server keeps running. */
import type Database from 'better-sqlite3'
import { openSqliteClient } from '../connection/driver.ts'
import { isDamage } from '../connection/sqlite-errors.ts'

/** Both null: no damage was found. `failure`: the file could not be checked. */
export interface CheckResult {
  readonly damage: string | null
  readonly failure: string | null
}

const BUSY_TIMEOUT_MS = 5_000

const [file = ''] = process.argv.slice(2)
process.send?.(check(file))

function check(file: string): CheckResult {
  try {
    const client = openSqliteClient(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    try {
      return { damage: firstDamage(client), failure: null }
    } finally {
      client.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return isDamage(error) ? { damage: reason, failure: null } : { damage: null, failure: reason }
  }
}

/** Table by table: during a check the WAL cannot be reset, and a single long check would let it grow. */
function firstDamage(client: Database.Database): string | null {
  const tables = client.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck()
  for (const table of tables.all()) {
    const quoted = `"${table.replaceAll('"', '""')}"`
    const verdict = String(client.pragma(`quick_check(${quoted})`, { simple: true }))
    if (verdict !== 'ok') return verdict
  }
  return null
}
