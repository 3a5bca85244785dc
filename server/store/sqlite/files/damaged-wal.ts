/** Detects a damaged WAL before SQLite opens it and drops the transactions behind the damage. */
import { constants, copyFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import { walBytes } from '../connection/open.ts'
import { readWal, type WalReading } from './wal-frames.ts'

/** Largest WAL to check, in about 5 s. */
const MOST_BYTES = 1024 * 1024 * 1024
/** The same for programs that share the file, in about 10 ms: there a WAL may be in use at any time. */
const MOST_SHARED_BYTES = 2 * 1024 * 1024

export interface DamagedWalOptions {
  /** Path without symbolic links. */
  readonly file: string
  readonly isOwner: boolean
  readonly clock: Clock
  readonly report: (message: string) => void
}

/** Reports acknowledged transactions that SQLite is about to drop, and keeps a copy of the WAL. */
export function inspectWal({ file, isOwner, clock, report }: DamagedWalOptions): void {
  const wal = `${file}-wal`
  const bytes = walBytes(file)
  if (bytes === 0 || bytes > (isOwner ? MOST_BYTES : MOST_SHARED_BYTES)) return
  const reading = readTwice(wal)
  if (!reading) return
  const { validFrames, framesAfter, lostTransactions } = reading
  const at = new Date(clock.now()).toISOString().replace(/[:.]/g, '-')
  report(
    `${wal} is damaged after ${validFrames} of at least ${validFrames + framesAfter} pages. SQLite drops the rest: at least ` +
      `${lostTransactions} later transactions are lost, including acknowledged jobs or results. ${keep(wal, `${wal}.damaged-${at}`)} ` +
      'Check the disk and its memory, and compare with a backup (docs/operations.md).',
  )
}

/** Copies of damaged WAL files beside a database. */
export function damagedWals(file: string): readonly string[] {
  const start = `${basename(file)}-wal.damaged-`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(start))
    .map((name) => join(dirname(file), name))
}

/** Another process may be writing: on the second read a partial frame is complete, or the WAL was reset. */
function readTwice(wal: string): WalReading | null {
  const first = readIfExists(wal)
  if (!first || first.lostTransactions === 0) return null
  const second = readIfExists(wal)
  return second?.header === first.header && second.validFrames === first.validFrames ? second : null
}

/** null if there is no WAL: the last process to close the database deletes it. */
function readIfExists(wal: string): WalReading | null {
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
    return `A copy of the WAL was saved as ${copy}.`
  } catch (error) {
    return `The WAL could not be copied (${error instanceof Error ? error.message : String(error)}).`
  }
}
