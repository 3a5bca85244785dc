/** Copies a queue's file while it is in use: whole or not at all. */
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openConnection } from '../connection/driver.ts'
import { createPrivately, privateMode } from '../files/private-files.ts'

export interface BackedUp {
  readonly bytes: number
  readonly jobs: number
}

export interface BackupParams {
  readonly file: string
  readonly target: string
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean
}

const BUSY_MS = 5_000

/** Where the copy grows until it is whole. */
export function partOf(target: string): string {
  return `${target}.part-${process.pid}`
}

/**
 * `VACUUM INTO` reads one snapshot and keeps nobody from writing; SQLite's step-by-step backup would begin again at every
 * commit of another process.
 */
export function backup({ file, target, replace }: BackupParams): BackedUp {
  const part = partOf(target)
  try {
    createPrivately(part)
    const source = openConnection(file, { fileMustExist: true, timeout: BUSY_MS })
    try {
      source.prepare('VACUUM INTO ?').run(part)
    } finally {
      source.close()
    }
    // A group that may read the queue may read the copy.
    chmodSync(part, privateMode(statSync(file).mode))
    const jobs = verify(part)
    sync(part)
    if (replace) renameSync(part, target)
    else giveName(part, target)
    sync(dirname(target))
    return { bytes: statSync(target).size, jobs }
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** A second name for the same file is refused where the name is taken; renaming would replace what is there. */
function giveName(part: string, target: string): void {
  try {
    linkSync(part, target)
    rmSync(part)
  } catch (error) {
    // Some file systems know no second names.
    if (existsSync(target)) throw error
    renameSync(part, target)
  }
}

/** A backup is worth what can be read of it. */
function verify(copy: string): number {
  const client = openConnection(copy, { readonly: true })
  try {
    const verdict = client.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok')
      throw new Error(`The copy is damaged (${String(verdict)}); queuectl doctor looks at the original.`)
    return client.prepare<[], number>('select count(*) from millrace_jobs').pluck().get() ?? 0
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
