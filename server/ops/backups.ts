/** Copies that a running server makes of its own database, one at a time, into a folder that its operator chose. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { QueueError } from '../../shared/errors.ts'
import type { MadeBackup } from '../api/context.ts'
import type { Clock } from '../base/clock.ts'
import { startThread } from '../base/threads.ts'
import { isPostgres } from '../compose/engine-options.ts'
import { createFolder, tighten } from '../store/sqlite/files/private-files.ts'
import type { CopyAnswer } from '../store/sqlite/upkeep/backup-thread.ts'

/** What this class names a copy itself. */
const DATED = /^queue-\d{4}-\d\d-\d\dT.*\.db$/

export interface BackupsParts {
  /** Of the database: the file of a SQLite queue, or the address of a PostgreSQL. */
  readonly url: string
  readonly file: string | null
  readonly folder: string | null
  readonly clock: Clock
}

export class Backups {
  private readonly parts: BackupsParts
  private cancel: (() => Promise<void>) | null = null

  constructor(parts: BackupsParts) {
    this.parts = parts
  }

  /** `name` is a name, not a path: whoever calls has checked that. */
  async make(name = this.datedName()): Promise<MadeBackup> {
    const { url, file, folder } = this.parts
    if (file === null) throw isPostgres(url) ? makesItsOwn(url, name) : inMemory()
    if (folder === null) {
      throw new QueueError('UNSUPPORTED', 'This server makes no backups: set BACKUP_FOLDER to where they may go.')
    }
    if (this.cancel) throw new QueueError('BUSY', 'A backup is being made already; try again when it is done.')
    const target = join(resolve(folder), name)
    if (existsSync(target)) throw taken(name)
    const answer = await this.copy(file, target)
    if (answer.ok) return { name, file: target, ...answer.done }
    throw answer.isTaken ? taken(name) : new QueueError('STORE_FAILED', `No backup was made: ${answer.message}`)
  }

  /** Copies that an earlier version left readable to every user of the machine. */
  keepPrivate(report: (message: string) => void): void {
    const folder = this.parts.folder === null ? null : resolve(this.parts.folder)
    if (folder === null || !existsSync(folder)) return
    const names = readdirSync(folder).filter((name) => DATED.test(name))
    tighten(
      names.map((name) => join(folder, name)),
      report,
    )
  }

  /** What is not whole by now goes. */
  async stop(): Promise<void> {
    await this.cancel?.()
  }

  private copy(file: string, target: string): Promise<CopyAnswer> {
    createFolder(dirname(target))
    return new Promise((resolveCopy) => {
      const worker = startThread('server/store/sqlite/upkeep/backup-thread', {
        file,
        target,
        replace: false,
      })
      const end = (answer: CopyAnswer) => {
        this.cancel = null
        resolveCopy(answer)
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
    const at = new Date(this.parts.clock.now()).toISOString()
    return `queue-${at.replace(/[:.]/g, '-')}.db`
  }
}

function taken(name: string): QueueError {
  return new QueueError('WRONG_STATE', `There is a backup ${name} already; choose another name.`, { name })
}

function inMemory(): QueueError {
  return new QueueError('UNSUPPORTED', 'This queue is in memory and ends with its server: there is no file to copy.')
}

/** Passwords stay where they are: pg_dump asks, or finds its own. */
function makesItsOwn(url: string, name: string): QueueError {
  const address = new URL(url)
  address.password = ''
  address.searchParams.delete('password')
  const command = `pg_dump --format=custom --file=${name.replace(/\.db$/, '.dump')} '${address.href}'`
  return new QueueError('UNSUPPORTED', `PostgreSQL makes its own backups: ${command}`, { command })
}
