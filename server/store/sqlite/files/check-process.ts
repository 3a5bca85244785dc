/** A process that reads a whole SQLite file once and reports damage: a server goes on answering meanwhile. */
import type Database from 'better-sqlite3'
import { openConnection } from '../connection/driver.ts'
import { isDamage } from '../connection/sqlite-errors.ts'

/** `damage` null and `trouble` null: the file is sound. `trouble`: it could not be looked at. */
export interface Checked {
  readonly damage: string | null
  readonly trouble: string | null
}

const BUSY_TIMEOUT_MS = 5_000

const [file = ''] = process.argv.slice(2)
process.send?.(check(file))

function check(file: string): Checked {
  try {
    const client = openConnection(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    try {
      return { damage: firstDamage(client), trouble: null }
    } finally {
      client.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return isDamage(error) ? { damage: reason, trouble: null } : { damage: null, trouble: reason }
  }
}

/** Table by table: the WAL cannot be emptied while one of them is read, and would grow all the while. */
function firstDamage(client: Database.Database): string | null {
  const tables = client.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck()
  for (const table of tables.all()) {
    const quoted = `"${table.replaceAll('"', '""')}"`
    const verdict = String(client.pragma(`quick_check(${quoted})`, { simple: true }))
    if (verdict !== 'ok') return verdict
  }
  return null
}
