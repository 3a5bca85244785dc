/** Keeps the last of the space for finishing work: new jobs are refused first, completes and retention still fit. */
import { dirname } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import type { NewJob } from '../../ops.ts'
import { StoreFailed } from '../../store.ts'
import type { Client } from '../connection/open.ts'
import { codeOf, storeFailed, type Trouble, troubleOf } from '../connection/sqlite-errors.ts'
import { Ballast } from './ballast.ts'
import { troubleAt } from './disk-quota.ts'
import { diskSpace, lowBytes, reserveBytes } from './disk-space.ts'
import type { Wal } from './wal.ts'

const LOOK_EVERY_MS = 1_000
/** 4 MiB: what a look on a full disk gives back of the pages that removed jobs have left. */
const VACUUM_PAGES = 1_000
/** Where the log has no space for even this many moved pages, giving back waits for the next look. */
const LEAST_VACUUM_PAGES = 10
/** A job without its payload, in the table and its indexes. */
const ROW_BYTES = 500

export interface DiskReserveOptions {
  readonly client: Client
  readonly file: string
  readonly maxBytes: number | null
  readonly clock: Clock
  /** null for a database in memory. */
  readonly wal: Wal | null
  /** The most that the file held in reserve may have. */
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
  private lookedAt = Number.NEGATIVE_INFINITY
  private tendedAt = Number.NEGATIVE_INFINITY
  /** At the last look: how much new jobs may use, in the file and before that in the log. */
  private roomBytes = Number.POSITIVE_INFINITY
  private lowBytes = 0
  /** The most that a refused job needs. Until there is more room than this, what removed jobs leave goes back to the disk. */
  private refusedBytes = 0
  /** A commit found no space, and the reserve has not been taken back since. */
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

  /** Whether new jobs are refused. */
  get isLow(): boolean {
    return !this.hasRoomFor([])
  }

  /** What an error of the connection means; a quota that is used up counts as a full disk. */
  troubleOf(error: unknown): Trouble {
    return this.wal ? troubleAt(this.file, error) : troubleOf(error)
  }

  /** Whether these may be stored; what is admitted counts as used until the next look. */
  hasRoomFor(jobs: readonly NewJob[]): boolean {
    if (this.fileIsLow()) return false
    if (!this.wal) return true
    // Once in the log and once in the file.
    const bytes = 2 * bytesOf(jobs)
    if (!this.lookIfDue() && !this.isReleased && this.roomBytes - bytes < this.lowBytes) this.look()
    if (this.roomBytes <= bytes) {
      this.refusedBytes = Math.max(this.refusedBytes, bytes)
      return false
    }
    this.roomBytes -= bytes
    return true
  }

  /**
   * Before a commit, outside of any transaction: where jobs are refused, gives back what removed jobs have left in the file.
   * A disk can have room for small jobs and none for a large one, so that the room left is compared with what was refused.
   * Throws only StoreFailed: after any other error the commit is tried, and meets the same condition if it still holds.
   */
  tend(): void {
    const now = this.clock.monotonic()
    if (!this.wal || now - this.tendedAt < LOOK_EVERY_MS) return
    this.tendedAt = now
    try {
      this.tendNow(this.wal)
    } catch (error) {
      if (error instanceof StoreFailed) throw error
      if (this.troubleOf(error) === 'fatal') throw storeFailed(error)
    }
  }

  private tendNow(wal: Wal): void {
    this.lookIfDue()
    if (this.roomBytes > this.refusedBytes) {
      this.refusedBytes = 0
      return
    }
    if (!this.giveBack(wal)) return
    wal.checkpoint('RESTART')
    this.look()
  }

  /** Takes the reserve where there is none yet. */
  establish(): void {
    if (this.wal) this.look(true)
  }

  /**
   * After a commit that found no space, outside of any transaction. True when space was gained, so that another try may
   * succeed. False when it was not the disk but the limit of the file or one oversized write, or when nothing is left to give.
   */
  makeRoom(): boolean {
    if (!this.wal) return false
    // A write that did not fit has left its part in the log, which would otherwise keep the whole disk occupied.
    if (this.wal.isLong()) this.wal.checkpoint('TRUNCATE')
    if (!this.isReleased && !this.isDiskFull()) return false
    this.lookedAt = this.clock.monotonic()
    this.roomBytes = 0
    this.isReleased = true
    this.wal.onFullDisk(true)
    const releasedBytes = this.ballast.release()
    // Written back, the log starts over in the space it already has.
    return this.wal.checkpoint('RESTART') || releasedBytes > 0
  }

  /** A quota does not show in the free space of the disk, only in a write. */
  private isDiskFull(): boolean {
    const { totalBytes, freeBytes } = diskSpace(this.folder)
    return freeBytes < lowBytes(totalBytes) || !this.ballast.canGrow()
  }

  /**
   * False when removed jobs have left nothing. Pages in use at the end of the file are moved through the log: where that has
   * no space for them, fewer at once.
   */
  private giveBack(wal: Wal): boolean {
    for (let pages = VACUUM_PAGES; pages >= LEAST_VACUUM_PAGES; pages = Math.floor(pages / 4)) {
      try {
        if (Number(this.client.pragma('freelist_count', { simple: true })) === 0) return false
        this.client.pragma(`incremental_vacuum(${pages})`)
        return true
      } catch (error) {
        const trouble = this.troubleOf(error)
        if (trouble === 'fatal') throw storeFailed(error)
        if (trouble === 'refused') throw error
        if (trouble === 'busy' || !wal.checkpoint('RESTART')) return true
      }
    }
    return true
  }

  /** Against the limit set for the file; pages that were freed count as space. */
  private fileIsLow(): boolean {
    if (this.maxBytes === null) return false
    const [pageSize, pages, free] = ['page_size', 'page_count', 'freelist_count'].map((name) =>
      Number(this.client.pragma(name, { simple: true })),
    )
    const used = ((pages ?? 0) - (free ?? 0)) * (pageSize ?? 0)
    return this.maxBytes - used < lowBytes(this.maxBytes)
  }

  /** True when it looked. */
  private lookIfDue(): boolean {
    if (!this.wal || this.clock.monotonic() - this.lookedAt < LOOK_EVERY_MS) return false
    this.look()
    return true
  }

  /**
   * The proof that space is back is the reserve itself, written in full. Where the file system gives no answer, what the last
   * look found stays: a commit must not fail because the free space is unknown.
   */
  private look(takesReserve = this.isReleased): void {
    this.lookedAt = this.clock.monotonic()
    try {
      this.lookNow(takesReserve)
    } catch (error) {
      if (codeOf(error).startsWith('SQLITE_')) throw error
    }
  }

  private lookNow(takesReserve: boolean): void {
    const { totalBytes, freeBytes } = diskSpace(this.folder)
    this.lowBytes = lowBytes(totalBytes)
    if (takesReserve && this.takeReserve(totalBytes, freeBytes) && this.isReleased) {
      this.isReleased = false
      this.wal?.onFullDisk(false)
    }
    const room = diskSpace(this.folder).freeBytes - this.lowBytes - (this.wal?.missingBytes() ?? 0)
    this.roomBytes = this.isReleased ? 0 : room
  }

  private takeReserve(totalBytes: number, freeBytes: number): boolean {
    const target = Math.min(this.maxReserveBytes, reserveBytes(totalBytes))
    return freeBytes - this.lowBytes >= target - this.ballast.bytes && this.ballast.fill(target)
  }
}

/** An estimate from above for usual text. */
function bytesOf(jobs: readonly NewJob[]): number {
  let bytes = 0
  for (const { payload } of jobs) bytes += ROW_BYTES + payload.length
  return bytes
}
