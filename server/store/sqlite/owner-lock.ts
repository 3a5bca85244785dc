/** One server owns a file: an operating-system lock on a side file, gone the instant its process is. */
import { existsSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { createPrivately } from './private-files.ts'

/** `user_version` in the header of a SQLite file: where the owner leaves its process id for the message below. */
const USER_VERSION_OFFSET = 60

/** Reading the file of a lock we hold would close a descriptor and so drop the lock: remembered instead. */
const held = new Set<string>()

export interface OwnerLock {
  release(): void
}

/** Node has no flock; SQLite's own exclusive lock on a side file is one. */
export function takeOwnership(file: string): OwnerLock {
  const lockFile = `${file}.lock`
  if (held.has(lockFile)) throw owned(file, process.pid)
  createPrivately(lockFile)
  const client = new Database(lockFile, { timeout: 0 })
  try {
    client.pragma('journal_mode = DELETE')
    client.pragma('locking_mode = EXCLUSIVE')
    client.pragma(`user_version = ${process.pid}`)
    client.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    client.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw owned(file, ownerPid(lockFile))
    }
    throw error
  }
  held.add(lockFile)
  return {
    release() {
      held.delete(lockFile)
      client.close()
    },
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
