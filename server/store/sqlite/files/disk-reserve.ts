/** Reserves disk space for finishing work: when it runs low, new jobs are refused first. */
import { dirname } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import type { NewJob } from '../../ops.ts'
import { StoreFailed } from '../../store.ts'
import type { Client } from '../connection/open.ts'
import { classifyError, codeOf, type ErrorKind, storeFailed } from '../connection/sqlite-errors.ts'
import { Ballast } from './ballast.ts'
import { classifyErrorAt } from './disk-quota.ts'
import { diskSpace, lowBytes, reserveBytes } from './disk-space.ts'
import type { Wal } from './wal.ts'

const MEASURE_EVERY_MS = 1_000
/** 4 MiB: free pages returned to a full disk per step. */
const VACUUM_PAGES = 1_000
/** If the WAL has no space for even this many moved pages, vacuuming waits for the next step. */
const LEAST_VACUUM_PAGES = 10
/** Size of a job without its payload, in the table and its indexes. */
const ROW_BYTES = 500

export interface DiskReserveOptions {
  readonly client: Client
  readonly file: string
  readonly maxBytes: number | null
  readonly clock: Clock
  /** null for a database in memory. */
  readonly wal: Wal | null
  /** Maximum size of the ballast file. */
  readonly maxReserveBytes?: number
}

export class DiskReserve {
  private readonly client: Client
  private readonly file: string
  private readonly folder: string
  private readonly ballast: Ballast
  private readonly maxBytes: number | null
  private readonly maxReserveBytes: number
  private readonly clock: Clock
  private readonly wal: Wal | null
  private measuredAt = Number.NEGATIVE_INFINITY
  private reclaimedAt = Number.NEGATIVE_INFINITY
  /** Space that new jobs may use, at the last measurement. A job uses space in the WAL first, then in the file. */
  private availableBytes = Number.POSITIVE_INFINITY
  private lowBytes = 0
  /** Largest size of a refused job. Until more than this is available, free pages of the file are returned to the disk. */
  private refusedBytes = 0
  /** A commit found no space, and the reserve has not been filled again since. */
  private isReleased = false

  constructor({ client, file, maxBytes, clock, wal, maxReserveBytes }: DiskReserveOptions) {
    this.client = client
    this.file = file
    this.folder = dirname(file)
    this.ballast = new Ballast(file)
    this.maxBytes = maxBytes
    this.maxReserveBytes = maxReserveBytes ?? Number.POSITIVE_INFINITY
    this.clock = clock
    this.wal = wal
  }

  /** True while new jobs are refused. */
  get isLow(): boolean {
    return !this.hasSpaceFor([])
  }

  /** Classifies an error of the connection; a used-up quota counts as a full disk. */
  classifyError(error: unknown): ErrorKind {
    return this.wal ? classifyErrorAt(this.file, error) : classifyError(error)
  }

  /** True when these jobs may be stored. Their size counts as used until the next measurement. */
  hasSpaceFor(jobs: readonly NewJob[]): boolean {
    if (this.fileIsLow()) return false
    if (!this.wal) return true
    // Once in the WAL and once in the file.
    const bytes = 2 * bytesOf(jobs)
    if (!this.measureIfDue() && !this.isReleased && this.availableBytes - bytes < this.lowBytes) this.measure()
    if (this.availableBytes <= bytes) {
      this.refusedBytes = Math.max(this.refusedBytes, bytes)
      return false
    }
    this.availableBytes -= bytes
    return true
  }

  /**
   * To be called before a commit, outside of any transaction. While jobs are refused, returns free pages of the file to the disk.
   * There may be space for small jobs and none for a large one, so the available space is compared with the refused size.
   * Throws only StoreFailed: after any other error the commit is tried, and fails the same way if the cause persists.
   */
  reclaimSpace(): void {
    const now = this.clock.monotonic()
    if (!this.wal || now - this.reclaimedAt < MEASURE_EVERY_MS) return
    this.reclaimedAt = now
    try {
      this.reclaim(this.wal)
    } catch (error) {
      if (error instanceof StoreFailed) throw error
      if (this.classifyError(error) === 'fatal') throw storeFailed(error)
    }
  }

  private reclaim(wal: Wal): void {
    this.measureIfDue()
    if (this.availableBytes > this.refusedBytes) {
      this.refusedBytes = 0
      return
    }
    if (!this.vacuum(wal)) return
    wal.checkpoint('RESTART')
    this.measure()
  }

  /** Fills the reserve unless it is full already. */
  fill(): void {
    if (this.wal) this.measure(true)
  }

  /**
   * To be called after a commit that found no space, outside of any transaction. True when space was gained and a retry may
   * succeed. False when the cause was the size limit of the file or one oversized write, or when no reserve is left.
   */
  freeSpace(): boolean {
    if (!this.wal) return false
    // The write that did not fit has left frames in the WAL, which would otherwise keep the whole disk occupied.
    if (this.wal.isLong()) this.wal.checkpoint('TRUNCATE')
    if (!this.isReleased && !this.isDiskFull()) return false
    this.measuredAt = this.clock.monotonic()
    this.availableBytes = 0
    this.isReleased = true
    this.wal.onFullDisk(true)
    const releasedBytes = this.ballast.release()
    // After a checkpoint the WAL restarts in the space that it already has.
    return this.wal.checkpoint('RESTART') || releasedBytes > 0
  }

  /** A quota does not show in the free space of the disk; only a write detects it. */
  private isDiskFull(): boolean {
    const { totalBytes, freeBytes } = diskSpace(this.folder)
    return freeBytes < lowBytes(totalBytes) || !this.ballast.canGrow()
  }

  /**
   * Returns free pages to the disk; false when there were none. Pages in use at the end of the file are moved through the WAL:
   * fewer at a time when the WAL has no space for them.
   */
  private vacuum(wal: Wal): boolean {
    for (let pages = VACUUM_PAGES; pages >= LEAST_VACUUM_PAGES; pages = Math.floor(pages / 4)) {
      try {
        if (Number(this.client.pragma('freelist_count', { simple: true })) === 0) return false
        this.client.pragma(`incremental_vacuum(${pages})`)
        return true
      } catch (error) {
        const kind = this.classifyError(error)
        if (kind === 'fatal') throw storeFailed(error)
        if (kind === 'refused') throw error
        if (kind === 'busy' || !wal.checkpoint('RESTART')) break
      }
    }
    // Moving pages needs the space of the reserve, which no commit may have released yet: those so far fitted into the WAL.
    if (!this.isReleased) this.freeSpace()
    return true
  }

  /** Compares with the size limit of the file; free pages count as space. */
  private fileIsLow(): boolean {
    if (this.maxBytes === null) return false
    const [pageSize, pages, free] = ['page_size', 'page_count', 'freelist_count'].map((name) =>
      Number(this.client.pragma(name, { simple: true })),
    )
    const used = ((pages ?? 0) - (free ?? 0)) * (pageSize ?? 0)
    return this.maxBytes - used < lowBytes(this.maxBytes)
  }

  /** True when it measured. */
  private measureIfDue(): boolean {
    if (!this.wal || this.clock.monotonic() - this.measuredAt < MEASURE_EVERY_MS) return false
    this.measure()
    return true
  }

  /**
   * Space is back when the reserve could be written in full. If the file system reports an error, the last measurement stays: a
   * commit must not fail because the free space is unknown.
   */
  private measure(fillsReserve = this.isReleased): void {
    this.measuredAt = this.clock.monotonic()
    try {
      this.measureNow(fillsReserve)
    } catch (error) {
      if (codeOf(error).startsWith('SQLITE_')) throw error
    }
  }

  private measureNow(fillsReserve: boolean): void {
    const { totalBytes, freeBytes } = diskSpace(this.folder)
    this.lowBytes = lowBytes(totalBytes)
    if (fillsReserve && this.fillReserve(totalBytes, freeBytes) && this.isReleased) {
      this.isReleased = false
      this.wal?.onFullDisk(false)
    }
    const available = diskSpace(this.folder).freeBytes - this.lowBytes - (this.wal?.missingBytes() ?? 0)
    this.availableBytes = this.isReleased ? 0 : available
  }

  private fillReserve(totalBytes: number, freeBytes: number): boolean {
    const target = Math.min(this.maxReserveBytes, reserveBytes(totalBytes))
    return freeBytes - this.lowBytes >= target - this.ballast.bytes && this.ballast.fill(target)
  }
}

/** Upper estimate for usual text. */
function bytesOf(jobs: readonly NewJob[]): number {
  let bytes = 0
  for (const { payload } of jobs) bytes += ROW_BYTES + payload.length
  return bytes
}
