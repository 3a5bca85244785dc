/** Looks at the log of a database that was not closed, before SQLite reads it and drops what is behind a damaged place. */
import { constants, copyFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import { walBytes } from '../connection/open.ts'
import { readWal, type WalReading } from './wal-frames.ts'

/** Read in about 5 s. */
const MOST_BYTES = 1024 * 1024 * 1024
/** For programs that share the file, where a log of any length may be in use: read in about 10 ms. */
const MOST_SHARED_BYTES = 2 * 1024 * 1024

export interface DamagedWalOptions {
  /** Its real path. */
  readonly file: string
  readonly isOwner: boolean
  readonly clock: Clock
  readonly report: (message: string) => void
}

/** Reports acknowledged transactions that SQLite is about to leave out, and keeps a copy of the log they are in. */
export function examineWal({ file, isOwner, clock, report }: DamagedWalOptions): void {
  const wal = `${file}-wal`
  const bytes = walBytes(file)
  if (bytes === 0 || bytes > (isOwner ? MOST_BYTES : MOST_SHARED_BYTES)) return
  const reading = readTwice(wal)
  if (!reading) return
  const { validFrames, framesBehind, lostTransactions } = reading
  const at = new Date(clock.now()).toISOString().replace(/[:.]/g, '-')
  report(
    `${wal} is damaged after ${validFrames} of at least ${validFrames + framesBehind} pages. SQLite reads no further: at least ` +
      `${lostTransactions} later transactions are lost, and acknowledged jobs or results with them. ${keep(wal, `${wal}.damaged-${at}`)} ` +
      'Check the disk and its memory, and compare with a backup (docs/operations.md).',
  )
}

/** Copies of damaged logs beside a file. */
export function damagedWals(file: string): readonly string[] {
  const start = `${basename(file)}-wal.damaged-`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(start))
    .map((name) => join(dirname(file), name))
}

/** Another process may be writing: then a frame read half is whole the next time, or the log has begun anew. */
function readTwice(wal: string): WalReading | null {
  const first = readIfThere(wal)
  if (!first || first.lostTransactions === 0) return null
  const second = readIfThere(wal)
  return second?.header === first.header && second.validFrames === first.validFrames ? second : null
}

/** The last program that closes the database deletes its log. */
function readIfThere(wal: string): WalReading | null {
  try {
    return readWal(wal)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function keep(wal: string, copy: string): string {
  try {
    copyFileSync(wal, copy, constants.COPYFILE_EXCL)
    return `A copy of the log is ${copy}.`
  } catch (error) {
    return `No copy of the log could be made (${error instanceof Error ? error.message : String(error)}).`
  }
}
