/** A file beside the database that does nothing but occupy disk space, to be given back when the disk is full. */
import { randomFillSync } from 'node:crypto'
import { closeSync, constants, ftruncateSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { constants as osConstants } from 'node:os'

const CHUNK_BYTES = 1024 * 1024
/** A remainder below this is given back whole. */
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

  /** Grows the file to `target` bytes; false when there is no room, and then it is as large as before. */
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
      // Where such a file cannot be made at all, the queue works without a reserve.
      return !isOutOfSpace(error)
    }
  }

  /** Whether a little more can be written here; false only where the disk is full or a quota is used up. */
  canGrow(): boolean {
    const before = this.bytes
    if (!this.fill(before + PROBE_BYTES)) return false
    try {
      if (before === 0) rmSync(this.path, { force: true })
      else truncateSync(this.path, before)
    } catch {
      // A reserve that is a little larger does no harm.
    }
    return true
  }

  /**
   * Gives back half of what is left and tells how much that was. Not all at once: another program that keeps writing would
   * take the whole of it.
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

/** Random bytes, because a file system that compresses or leaves holes would reserve nothing for zeros. */
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
