/** Copies a queue's file while it is in use: whole or not at all. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'

export interface BackedUp {
  readonly bytes: number
  readonly jobs: number
}

const BUSY_MS = 5_000

/**
 * `VACUUM INTO` reads one snapshot and keeps nobody from writing; SQLite's step-by-step backup would begin again at every
 * commit of another process.
 */
export function backup(file: string, target: string): BackedUp {
  const part = `${target}.part-${process.pid}`
  try {
    const source = new Database(file, { fileMustExist: true, timeout: BUSY_MS })
    try {
      source.prepare('VACUUM INTO ?').run(part)
    } finally {
      source.close()
    }
    const jobs = verify(part)
    sync(part)
    renameSync(part, target)
    sync(dirname(target))
    return { bytes: statSync(target).size, jobs }
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** A backup is worth what can be read of it. */
function verify(copy: string): number {
  const client = new Database(copy, { readonly: true })
  try {
    const verdict = client.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok')
      throw new Error(`The copy is damaged (${String(verdict)}); queuectl doctor looks at the original.`)
    return client.prepare<[], number>('select count(*) from jobs').pluck().get() ?? 0
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
