/** Final state of the database file, read without code of the queue. */
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { makeTempFolder } from '../../support/temp.ts'
import type { JobFact } from './history.ts'

export function jobFacts(file: string): readonly JobFact[] {
  return read(file, (db) =>
    db
      .prepare<[], JobFact>(
        `SELECT id, dedupe_key AS key, status, iif(status = 'completed', version, NULL) AS completedBy FROM millrace_jobs`,
      )
      .all(),
  )
}

export function ask<Row extends object>(file: string, question: string): Row[] {
  return read(file, (db) => db.prepare<[], Row>(question).all())
}

/** [by real COUNT(*), by the counters] */
export function counted(file: string): [unknown[], unknown[]] {
  return read(file, (db) => [
    db
      .prepare('SELECT type, status, count(*) AS n FROM millrace_jobs GROUP BY type, status ORDER BY type, status')
      .all(),
    db.prepare('SELECT type, status, n FROM millrace_job_counts WHERE n > 0 ORDER BY type, status').all(),
  ])
}

/** Reads a copy: opening the file itself would recover its WAL, which is the next server's task. */
export async function integrity(file: string): Promise<unknown> {
  const folder = await makeTempFolder()
  try {
    const copy = join(folder.path, 'copy.db')
    for (const suffix of ['', '-wal']) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
    }
    const db = new Database(copy)
    try {
      return db.pragma('integrity_check', { simple: true })
    } finally {
      db.close()
    }
  } finally {
    await folder.remove()
  }
}

function read<Answer>(file: string, question: (db: Database.Database) => Answer): Answer {
  const db = new Database(file, { readonly: true })
  try {
    return question(db)
  } finally {
    db.close()
  }
}
