/** What an operator may ask of a database besides what a queue does: a look over it, and a copy of it. */
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import { loadPart, NEEDS } from '../base/packages.ts'
import type { Finding } from '../store/findings.ts'
import type { BackedUp, BackupParams } from '../store/sqlite/upkeep/backup.ts'

export interface Examined {
  readonly check: Finding['check']
  readonly level: Finding['level']
  readonly text: string
}

export interface ExamineOptions {
  readonly config: Config
  /** The file of a SQLite queue; null on PostgreSQL. */
  readonly file: string | null
  readonly clock: Clock
  readonly isQuick: boolean
}

/** Changes nothing, migrates nothing. */
export async function examineDatabase({ config, file, clock, isQuick }: ExamineOptions): Promise<readonly Examined[]> {
  if (file === null) {
    const { examinePostgres } = await loadPart(NEEDS.postgres, () => import('../store/postgres/upkeep/inspect.ts'))
    return examinePostgres({ url: config.url, clock, isQuick })
  }
  const { examineSqlite } = await loadPart(NEEDS.sqlite, () => import('../store/sqlite/upkeep/inspect.ts'))
  return examineSqlite({ file, durability: config.durability, clock, isQuick })
}

/** Copies the file of a queue that may be in use, whole or not at all. */
export async function copyDatabase(params: BackupParams): Promise<BackedUp> {
  const { backup } = await import('../store/sqlite/upkeep/backup.ts')
  return backup(params)
}
