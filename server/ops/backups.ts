/** Online backups of a SQLite queue into `BACKUP_FOLDER`, one at a time. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { QueueError } from '../../shared/errors.ts'
import type { BackupRecord } from '../../shared/records.ts'
import type { Clock } from '../base/clock.ts'
import { startThread } from '../base/threads.ts'
import { isPostgres } from '../compose/engine-options.ts'
import { createFolder, tighten } from '../store/sqlite/files/private-files.ts'
import type { BackupResult } from '../store/sqlite/upkeep/backup-thread.ts'

/** Names that `make` generates. */
const DATED = /^queue-\d{4}-\d\d-\d\dT.*\.db$/

export interface BackupsOptions {
  /** Address of the database. */
  readonly url: string
  /** The file of a SQLite queue; null: PostgreSQL, or in memory. */
  readonly file: string | null
  readonly folder: string | null
  readonly clock: Clock
}

export class Backups {
  private readonly options: BackupsOptions
  private cancel: (() => Promise<void>) | null = null

  constructor(options: BackupsOptions) {
    this.options = options
  }

  /** `name` must be a file name without a path; the caller checks that. */
  async make(name = this.datedName()): Promise<BackupRecord> {
    const { url, file, folder } = this.options
    if (file === null) throw isPostgres(url) ? pgDumpAdvice(url, name) : inMemory()
    if (folder === null) {
      throw new QueueError(
        'UNSUPPORTED',
        'Backups are disabled on this server: set BACKUP_FOLDER to a folder for them.',
      )
    }
    if (this.cancel) throw new QueueError('BUSY', 'A backup is already running; try again when it is done.')
    const target = join(resolve(folder), name)
    if (existsSync(target)) throw nameTaken(name)
    const result = await this.copy(file, target)
    if (result.ok) return { name, file: target, ...result.done }
    throw result.isTaken ? nameTaken(name) : new QueueError('STORE_FAILED', `The backup failed: ${result.message}`)
  }

  /** Restricts the permissions of backups that an earlier version left readable to all users. */
  keepPrivate(report: (message: string) => void): void {
    const folder = this.options.folder === null ? null : resolve(this.options.folder)
    if (folder === null || !existsSync(folder)) return
    const names = readdirSync(folder).filter((name) => DATED.test(name))
    tighten(
      names.map((name) => join(folder, name)),
      report,
    )
  }

  /** Aborts a running backup and removes its partial file. */
  async stop(): Promise<void> {
    await this.cancel?.()
  }

  private copy(file: string, target: string): Promise<BackupResult> {
    createFolder(dirname(target))
    return new Promise((resolveCopy) => {
      const worker = startThread('server/store/sqlite/upkeep/backup-thread', {
        file,
        target,
        replace: false,
      })
      const end = (result: BackupResult) => {
        this.cancel = null
        resolveCopy(result)
      }
      this.cancel = async () => {
        await worker.terminate()
        rmSync(`${target}.part-${process.pid}`, { force: true })
      }
      worker.once('message', end)
      worker.once('error', ({ message }) => end({ ok: false, message, isTaken: false }))
      worker.once('exit', () => end({ ok: false, message: 'the server is shutting down', isTaken: false }))
    })
  }

  private datedName(): string {
    const at = new Date(this.options.clock.now()).toISOString()
    return `queue-${at.replace(/[:.]/g, '-')}.db`
  }
}

function nameTaken(name: string): QueueError {
  return new QueueError('WRONG_STATE', `A backup named ${name} exists already; choose another name.`, { name })
}

function inMemory(): QueueError {
  return new QueueError('UNSUPPORTED', 'This queue is in memory, so there is no file to back up.')
}

/** Removes the password from the command: pg_dump prompts for it or reads it from ~/.pgpass. */
function pgDumpAdvice(url: string, name: string): QueueError {
  const address = new URL(url)
  address.password = ''
  address.searchParams.delete('password')
  const command = `pg_dump --format=custom --file=${name.replace(/\.db$/, '.dump')} '${address.href}'`
  return new QueueError('UNSUPPORTED', `Back up PostgreSQL with its own tools: ${command}`, { command })
}
