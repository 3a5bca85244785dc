/** Whether a file is sound when a server starts on it: at once where that is quick or called for, else in a process beside it. */
import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { startProcess } from '../../../base/threads.ts'
import { StoreFailed } from '../../store.ts'
import type { Client } from '../connection/open.ts'
import { ownTables } from '../connection/own-tables.ts'
import { isDamage } from '../connection/sqlite-errors.ts'
import type { Checked } from './check-process.ts'

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
  private child: ChildProcess | null = null
  private isStopped = false
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
    const { child } = this
    this.isStopped = true
    if (!child) return
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.ref()
    child.kill('SIGKILL')
    await ended
  }

  private async check(): Promise<void> {
    const { damage, trouble } = await this.inProcess()
    if (damage !== null) throw new StoreFailed(damaged(damage))
    if (trouble !== null)
      this.onWarning(`The database could not be checked for damage (${trouble}); run queuectl doctor.`)
  }

  /** In a process of its own: reading a large file takes minutes inside one native call, which a thread cannot leave. */
  private inProcess(): Promise<Checked> {
    return new Promise((resolve) => {
      const child = startProcess('server/store/sqlite/files/check-process', [this.file])
      const kill = () => void child.kill('SIGKILL')
      const end = () => {
        process.off('exit', kill)
        this.child = null
      }
      this.child = child
      child.unref()
      child.channel?.unref()
      process.once('exit', kill)
      child.once('exit', end)
      child.once('message', (message: Checked) => resolve(message))
      // After the message, if there was one.
      child.once('disconnect', () =>
        resolve({ damage: null, trouble: this.isStopped ? null : 'the process that reads it ended early' }),
      )
      child.once('error', ({ message }) => {
        end()
        resolve({ damage: null, trouble: message })
      })
    })
  }
}

function damaged(verdict: string): string {
  return `The database is damaged (${verdict}); restore a backup.`
}
