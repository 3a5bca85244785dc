/** Ballast file beside the database: reserves disk space and releases it when the disk is full. */
import { randomFillSync } from 'node:crypto'
import { closeSync, constants, ftruncateSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { constants as osConstants } from 'node:os'

const CHUNK_BYTES = 1024 * 1024
/** A smaller remainder is released completely. */
const SMALLEST_BYTES = 256 * 1024
/** More than the one page that SQLite writes at a time. */
const PROBE_BYTES = 64 * 1024

export class Ballast {
  private readonly path: string

  constructor(databaseFile: string) {
    this.path = `${databaseFile}.reserve`
  }

  get bytes(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Grows the file to `target` bytes; false when there is no space, and then its size is unchanged. */
  fill(target: number): boolean {
    const before = this.bytes
    if (before >= target) return true
    const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants
    try {
      const descriptor = openSync(this.path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
      try {
        write(descriptor, before, target)
        return true
      } finally {
        closeSync(descriptor)
      }
    } catch (error) {
      // If the file cannot be created for another reason, the queue works without a reserve.
      return !isOutOfSpace(error)
    }
  }

  /** False only when the disk is full or a quota is used up. */
  canGrow(): boolean {
    const before = this.bytes
    if (!this.fill(before + PROBE_BYTES)) return false
    try {
      if (before === 0) rmSync(this.path, { force: true })
      else truncateSync(this.path, before)
    } catch {
      // A slightly larger reserve does no harm.
    }
    return true
  }

  /**
   * Releases half of the remaining space and returns the number of bytes. Not all at once: another program that keeps writing
   * would use up all of it.
   */
  release(): number {
    const before = this.bytes
    if (before === 0) return 0
    const rest = Math.floor(before / 2)
    try {
      if (rest < SMALLEST_BYTES) rmSync(this.path, { force: true })
      else truncateSync(this.path, rest)
    } catch {
      return 0
    }
    return before - this.bytes
  }
}

/** Random bytes: a file system with compression or sparse files would reserve nothing for zeros. */
function write(descriptor: number, from: number, to: number): void {
  const chunk = randomFillSync(Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from)))
  try {
    let at = from
    while (at < to) at += writeSync(descriptor, chunk, 0, Math.min(chunk.length, to - at), at)
  } catch (error) {
    ftruncateSync(descriptor, from)
    throw error
  }
}

/** By number: Node has no name for EDQUOT and reports it as an unknown system error. */
function isOutOfSpace(error: unknown): boolean {
  const { ENOSPC, EDQUOT } = osConstants.errno
  const number = error instanceof Error && 'errno' in error ? error.errno : null
  return number === -ENOSPC || number === -EDQUOT
}
