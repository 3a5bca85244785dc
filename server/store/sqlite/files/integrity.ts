/** Integrity check when a server starts: immediate for small or unclean files, else in a child process. */
import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { startProcess } from '../../../base/threads.ts'
import { StoreFailed } from '../../store.ts'
import type { Client } from '../connection/open.ts'
import { ownTables } from '../connection/own-tables.ts'
import { isDamage } from '../connection/sqlite-errors.ts'
import type { CheckResult } from './check-process.ts'

/** Checked in about 0.1 s. */
const SMALL_BYTES = 32 * 1024 * 1024

export function isSmall(file: string): boolean {
  return statSync(file).size <= SMALL_BYTES
}

/** Throws if the file is damaged, so that no server starts on it. */
export function assertIntact(client: Client): void {
  const verdict = quickCheck(client)
  if (verdict !== 'ok') throw new Error(damaged(verdict))
}

/**
 * Checks the whole file. Where that fails because an application's constraints or indexes use functions or collations that are not
 * available here, checks the queue's tables only. A badly damaged file fails the check with an error.
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

/** Checks a large file in a child process. */
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

  /** Runs once; throws StoreFailed when the file is damaged. Resolves without a result when stopped. */
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
    const { damage, failure } = await this.inProcess()
    if (damage !== null) throw new StoreFailed(damaged(damage))
    if (failure !== null)
      this.onWarning(`The database could not be checked for damage (${failure}); run queuectl doctor.`)
  }

  /** In a child process: checking a large file takes minutes inside one native call, which cannot be interrupted in a thread. */
  private inProcess(): Promise<CheckResult> {
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
      child.once('message', (message: CheckResult) => resolve(message))
      // Follows the message, if there is one.
      child.once('disconnect', () =>
        resolve({ damage: null, failure: this.isStopped ? null : 'the check process exited early' }),
      )
      child.once('error', ({ message }) => {
        end()
        resolve({ damage: null, failure: message })
      })
    })
  }
}

function damaged(verdict: string): string {
  return `The database is damaged (${verdict}); restore a backup.`
}
