/** Detects that files of an open database were deleted, replaced or truncated, so that writes would be lost. */
import { type BigIntStats, statSync } from 'node:fs'
import { StoreFailed } from '../../store.ts'
import type { Client } from '../connection/open.ts'
import { mainFile } from '../host/host-client.ts'

const WAL_HEADER_BYTES = 32n
const FRAME_HEADER_BYTES = 24n
/** Another process may reset the WAL between the two reads, but not three times in a row. */
const TRIES = 3

interface Watched {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
}

/**
 * Compares by `stat` only: opening and closing one of these files here would drop the POSIX locks that SQLite holds on it.
 * An inode number is not reused while SQLite has the file open, so an equal one means the same file. The three calls take
 * about 7 µs together, a commit with its fsync 100 µs and more.
 */
export class OpenFiles {
  private readonly main: Watched
  /** null where the file system has no shared memory: SQLite then uses its rollback journal. */
  private readonly wal: Watched | null = null
  private readonly shm: Watched | null = null
  private readonly pageBytes: bigint
  private readonly walLength
  /** At the last check. A WAL that still has this size was not truncated. */
  private walSize: bigint | null = null

  /** `file` may be a symbolic link. The connection must have read from it, so that the WAL exists. */
  constructor(client: Client, file: string) {
    // SQLite puts the WAL beside the target of a symbolic link.
    const real = mainFile(client)
    this.main = identify(file)
    if (client.pragma('journal_mode', { simple: true }) === 'wal') {
      this.wal = identify(`${real}-wal`)
      this.shm = identify(`${real}-shm`)
    }
    this.pageBytes = BigInt(Number(client.pragma('page_size', { simple: true })))
    this.walLength = client.prepare<[], { readonly log: number }>('PRAGMA wal_checkpoint(NOOP)')
  }

  /** Throws StoreFailed when a path no longer points to the open file. */
  check(): void {
    if (this.assertSame(this.main).size < this.pageBytes) throw lost(`${this.main.path} was truncated`)
    if (this.wal) this.walSize = this.assertSame(this.wal).size
    if (this.shm) this.assertSame(this.shm)
  }

  /** To be called before a write: a truncated WAL grows again with the write and would look complete. */
  checkLength(): void {
    if (!this.wal || this.assertSame(this.wal).size === this.walSize) return
    for (let tries = 0; tries < TRIES; tries++) {
      const frames = BigInt(Math.max(0, this.walLength.get()?.log ?? 0))
      const { size } = this.assertSame(this.wal)
      if (frames === 0n || size >= WAL_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + this.pageBytes)) return
    }
    throw lost(`${this.wal.path} was truncated`)
  }

  private assertSame({ path, dev, ino }: Watched): BigIntStats {
    const stats = statOf(path)
    if (!stats) throw lost(`${path} was deleted or moved`)
    if (stats.ino !== ino || stats.dev !== dev) throw lost(`${path} was replaced by another file`)
    return stats
  }
}

function identify(path: string): Watched {
  const { dev, ino } = statSync(path, { bigint: true })
  return { path, dev, ino }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw lost(`${path} cannot be read (${error instanceof Error ? error.message : String(error)})`)
  }
}

function lost(what: string): StoreFailed {
  return new StoreFailed(
    `${what} while the queue had it open, so writes since then may be lost. ` +
      'Put the file back, or restore a backup, and start again.',
  )
}
