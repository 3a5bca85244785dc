/** Whether a file is sound when a server starts on it: at once where that is quick or called for, else in a thread. */
import { statSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../start-thread.ts'
import { StoreFailed } from '../store.ts'
import type { CheckData, Checked } from './check-thread.ts'
import type { Client } from './open.ts'
import { ownTables } from './own-tables.ts'
import { isDamage } from './sqlite-errors.ts'

/** Read through in about 0.1 s. */
const SMALL_BYTES = 32 * 1024 * 1024

export function isSmall(file: string): boolean {
  return statSync(file).size <= SMALL_BYTES
}

/** Before the first answer: better no server than one on a damaged file. */
export function assertIntact(client: Client): void {
  const verdict = quickCheck(client)
  if (verdict !== 'ok') throw new Error(damaged(verdict))
}

/**
 * What is badly damaged cannot even be checked. Nor can tables of an application whose constraints or indexes use functions and
 * collations that only the application has: then the queue's own tables are.
 */
function quickCheck(client: Client): string {
  try {
    return verdictOn(client, '1')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (isDamage(error)) return error.message
    const verdicts = ownTables(client).map((table) => verdictOn(client, table))
    return verdicts.find((verdict) => verdict !== 'ok') ?? 'ok'
  }
}

function verdictOn(client: Client, scope: string): string {
  return String(client.pragma(`quick_check(${scope})`, { simple: true }))
}

/** Reads a large file through beside the work of a server. */
export class BackgroundCheck {
  private readonly file: string
  private readonly onWarning: (message: string) => void
  private worker: Worker | null = null
  private checking: Promise<void> | null = null

  constructor(file: string, onWarning: (message: string) => void) {
    this.file = file
    this.onWarning = onWarning
  }

  /** Once; throws StoreFailed when the file is damaged. Ends without a verdict when it is stopped. */
  run(): Promise<void> {
    this.checking ??= this.check()
    return this.checking
  }

  async stop(): Promise<void> {
    await this.worker?.terminate()
  }

  private async check(): Promise<void> {
    const { damage, trouble } = await this.inThread()
    if (damage !== null) throw new StoreFailed(damaged(damage))
    if (trouble !== null)
      this.onWarning(`The database could not be checked for damage (${trouble}); run queuectl doctor.`)
  }

  private inThread(): Promise<Checked> {
    return new Promise((resolve) => {
      const data: CheckData = { file: this.file }
      const worker = startThread(new URL('./check-thread', import.meta.url), data)
      this.worker = worker
      worker.unref()
      worker.once('message', resolve)
      worker.once('error', ({ message }) => resolve({ damage: null, trouble: message }))
      worker.once('exit', () => resolve({ damage: null, trouble: null }))
    })
  }
}

function damaged(verdict: string): string {
  return `The database is damaged (${verdict}); restore a backup.`
}
