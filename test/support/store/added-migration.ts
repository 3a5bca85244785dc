/** A copy of the migrations with one more, as in a later version. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder } from '../../../server/store/schema/migrations-folder.ts'

type Dialect = Parameters<typeof migrationsFolder>[0]

interface Journal {
  entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[]
}

export function addMigration(dialect: Dialect, folder: string, sql: string): void {
  cpSync(migrationsFolder(dialect), folder, { recursive: true })
  const journal = readJournal(folder)
  const last = journal.entries.at(-1)
  if (!last) throw new Error('there is no migration yet')
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: '9999_added_by_a_test' })
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify(journal))
  writeFileSync(join(folder, '9999_added_by_a_test.sql'), sql)
}

/** Number of migrations of this version. */
export function migrationCount(dialect: Dialect): number {
  return readJournal(migrationsFolder(dialect)).entries.length
}

function readJournal(folder: string): Journal {
  return JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8'))
}

/** A copy of the migrations before the one with this name, as in an earlier version. */
export function migrationsBefore(dialect: Dialect, tag: string, folder: string): void {
  cpSync(migrationsFolder(dialect), folder, { recursive: true })
  const { entries, ...journal } = readJournal(folder)
  const index = entries.findIndex((entry) => entry.tag === tag)
  if (index < 1) throw new Error(`there is no migration before ${tag}`)
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries: entries.slice(0, index) }))
}
