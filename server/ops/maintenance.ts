/** Maintenance of a database: inspection (`queuectl doctor`) and backup. */
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import { loadPart, NEEDS } from '../base/packages.ts'
import type { Finding } from '../store/findings.ts'
import type { BackedUp, BackupParams } from '../store/sqlite/upkeep/backup.ts'

export interface InspectionResult {
  readonly check: Finding['check']
  readonly level: Finding['level']
  readonly text: string
}

export interface InspectOptions {
  readonly config: Config
  /** The file of a SQLite queue; null on PostgreSQL. */
  readonly file: string | null
  readonly clock: Clock
  readonly isQuick: boolean
}

/** Read-only; does not migrate. */
export async function inspectDatabase({
  config,
  file,
  clock,
  isQuick,
}: InspectOptions): Promise<readonly InspectionResult[]> {
  if (file === null) {
    const { inspectPostgres } = await loadPart(NEEDS.postgres, () => import('../store/postgres/upkeep/inspect.ts'))
    return inspectPostgres({ url: config.url, clock, isQuick })
  }
  const { inspectSqlite } = await loadPart(NEEDS.sqlite, () => import('../store/sqlite/upkeep/inspect.ts'))
  return inspectSqlite({ file, durability: config.durability, clock, isQuick })
}

/** Copies the file of a queue that may be in use. The copy is complete or absent. */
export async function copyDatabase(params: BackupParams): Promise<BackedUp> {
  const { backup } = await import('../store/sqlite/upkeep/backup.ts')
  return backup(params)
}
