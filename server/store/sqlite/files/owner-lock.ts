/** Owner lock: an operating-system lock on a side file, held by at most one server, released when its process ends. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { StoreFailed } from '../../store.ts'
import { openSqliteClient } from '../connection/driver.ts'
import { codeOf } from '../connection/sqlite-errors.ts'
import { createPrivately } from './private-files.ts'

/** Offset of `user_version` in a SQLite file: holds the owner's process id, for the error message. */
const USER_VERSION_OFFSET = 60

/** Locks of this process. Reading a held lock file would close a descriptor and thereby drop the lock. */
const held = new Set<string>()

export interface OwnerLock {
  /** Takes the lock again when its file was removed; throws StoreFailed when another server has it. */
  check(): void
  release(): void
  /** Releases the lock and removes its file if `takeOwnership` created it. For a database that was refused. */
  withdraw(): void
}

interface Locked {
  readonly client: Database.Database
  readonly dev: bigint
  readonly ino: bigint
}

/**
 * Node has no flock, so SQLite's exclusive lock on a side file serves as one. `file` is the real path, so that all symbolic links
 * to it share one lock.
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
        throw new StoreFailed(`${lockFile} was removed and could not be locked again: ${reason}`, { cause: error })
      }
      report(
        `${lockFile} was removed while this server was running; it was created again. Do not remove it: it keeps out a second server.`,
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
  const client = openSqliteClient(lockFile, { timeout: 0 })
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
    `${file} is already used by a server${pid ? ` (process ${pid})` : ''}. Stop that server, or choose another file.`,
  )
}
