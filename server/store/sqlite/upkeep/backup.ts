/** Copies a queue's file while it is in use; the copy appears complete or not at all. */
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openSqliteClient } from '../connection/driver.ts'
import { createPrivately, privateMode } from '../files/private-files.ts'

export interface BackedUp {
  readonly bytes: number
  readonly jobs: number
}

export interface BackupParams {
  readonly file: string
  readonly target: string
  /** Replace an existing file. */
  readonly replace: boolean
}

const BUSY_MS = 5_000

/** Path of the incomplete copy. */
export function partOf(target: string): string {
  return `${target}.part-${process.pid}`
}

/**
 * `VACUUM INTO` reads one snapshot and does not block writers. SQLite's incremental backup would restart with every commit of
 * another process.
 */
export function backup({ file, target, replace }: BackupParams): BackedUp {
  const part = partOf(target)
  try {
    createPrivately(part)
    const source = openSqliteClient(file, { fileMustExist: true, timeout: BUSY_MS })
    try {
      source.prepare('VACUUM INTO ?').run(part)
    } finally {
      source.close()
    }
    // A group that may read the queue may also read the copy.
    chmodSync(part, privateMode(statSync(file).mode))
    const jobs = verify(part)
    sync(part)
    if (replace) renameSync(part, target)
    else publish(part, target)
    sync(dirname(target))
    return { bytes: statSync(target).size, jobs }
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** A hard link fails if the name is taken; a rename would replace the existing file. */
function publish(part: string, target: string): void {
  try {
    linkSync(part, target)
    rmSync(part)
  } catch (error) {
    // Some file systems have no hard links.
    if (existsSync(target)) throw error
    renameSync(part, target)
  }
}

/** Checks the copy and returns its number of jobs. */
function verify(copy: string): number {
  const client = openSqliteClient(copy, { readonly: true })
  try {
    const verdict = client.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok')
      throw new Error(`The copy is damaged (${String(verdict)}); check the original with queuectl doctor.`)
    return client.prepare<[], number>('SELECT count(*) FROM millrace_jobs').pluck().get() ?? 0
  } finally {
    client.close()
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
