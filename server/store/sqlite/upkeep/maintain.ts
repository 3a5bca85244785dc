/** Periodic maintenance of the file: returns free pages to the file system and keeps the WAL short. */
import type { Connection } from '../connection/open.ts'
import { storeFailed } from '../connection/sqlite-errors.ts'
import type { DiskReserve } from '../files/disk-reserve.ts'
import type { Wal } from '../files/wal.ts'

/** 2 MiB a step: short enough to fit between commits. */
const VACUUM_PAGES = 500

/** True when there are more pages to return. */
export function maintain({ client }: Connection, reserve: DiskReserve, wal: Wal | null): boolean {
  try {
    if (wal?.isLong()) wal.checkpoint('RESTART')
    const free = Number(client.pragma('freelist_count', { simple: true }))
    if (free > 0) client.pragma(`incremental_vacuum(${VACUUM_PAGES})`)
    return free > VACUUM_PAGES
  } catch (error) {
    const kind = reserve.classifyError(error)
    if (kind === 'fatal') throw storeFailed(error)
    // Another process is writing, or the disk is full: maintenance waits for its next run.
    if (kind === 'busy' || kind === 'full') return false
    throw error
  }
}
