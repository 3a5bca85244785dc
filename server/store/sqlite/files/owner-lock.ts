/** One server owns a file: an operating-system lock on a side file, gone the instant its process is. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { StoreFailed } from '../../store.ts'
import { openConnection } from '../connection/driver.ts'
import { codeOf } from '../connection/sqlite-errors.ts'
import { createPrivately } from './private-files.ts'

/** `user_version` in the header of a SQLite file: where the owner leaves its process id for the message below. */
const USER_VERSION_OFFSET = 60

/** Reading the file of a lock we hold would close a descriptor and so drop the lock: remembered instead. */
const held = new Set<string>()

export interface OwnerLock {
  /** Takes the lock again when its file was removed; throws StoreFailed when another server was faster. */
  check(): void
  release(): void
  /** Releases it and removes its file again if this call created it: the database was refused. */
  withdraw(): void
}

interface Locked {
  readonly client: Database.Database
  readonly dev: bigint
  readonly ino: bigint
}

/**
 * Node has no flock; SQLite's own exclusive lock on a side file is one. `file` is the real path: the lock must be the same
 * one whichever symbolic link leads there.
 */
export function takeOwnership(file: string, report: (message: string) => void): OwnerLock {
  const lockFile = `${file}.lock`
  if (held.has(lockFile)) throw owned(file, process.pid)
  const isNew = !existsSync(lockFile)
  let locked = lock(file, lockFile)
  held.add(lockFile)
  return {
    check() {
      const found = statSync(lockFile, { bigint: true, throwIfNoEntry: false })
      if (found?.ino === locked.ino && found.dev === locked.dev) return
      locked.client.close()
      try {
        locked = lock(file, lockFile)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new StoreFailed(`${lockFile} was removed, and could not be locked again: ${reason}`, { cause: error })
      }
      report(
        `${lockFile} was removed while this server runs, and was made again. It keeps a second server out: leave it.`,
      )
    },
    release,
    withdraw() {
      release()
      if (isNew) rmSync(lockFile, { force: true })
    },
  }

  function release() {
    held.delete(lockFile)
    locked.client.close()
  }
}

function lock(file: string, lockFile: string): Locked {
  createPrivately(lockFile)
  const client = openConnection(lockFile, { timeout: 0 })
  try {
    client.pragma('journal_mode = DELETE')
    client.pragma('locking_mode = EXCLUSIVE')
    client.pragma(`user_version = ${process.pid}`)
    client.exec('BEGIN EXCLUSIVE')
    const { dev, ino } = statSync(lockFile, { bigint: true })
    return { client, dev, ino }
  } catch (error) {
    client.close()
    if (codeOf(error).startsWith('SQLITE_BUSY')) {
      throw owned(file, ownerPid(lockFile))
    }
    throw error
  }
}

function ownerPid(lockFile: string): number | null {
  if (!existsSync(lockFile)) return null
  const header = readFileSync(lockFile)
  return header.length < USER_VERSION_OFFSET + 4 ? null : header.readUInt32BE(USER_VERSION_OFFSET)
}

function owned(file: string, pid: number | null): Error {
  return new Error(
    `${file} already has a server${pid ? ` (process ${pid})` : ''}; stop it first, or point this one at another file.`,
  )
}
