/** Writes the write-ahead log back to the database file often enough for its disk, and ends the queue where that fails. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Op } from '../../ops.ts'
import { StoreFailed } from '../../store.ts'
import { AUTOCHECKPOINT_PAGES, type Client, walBytes } from '../connection/open.ts'
import { troubleAt } from './disk-quota.ts'
import { diskSpace, reserveBytes, walBytesKept } from './disk-space.ts'

/** On a full disk the log starts over often, so that it stays inside the space it has. */
const FULL_DISK_PAGES = 64

type Mode = 'PASSIVE' | 'RESTART' | 'TRUNCATE'

export class Wal {
  private readonly client: Client
  private readonly file: string
  private readonly pageSize: number
  private readonly checkpointPages: number
  private readonly keptBytes: number
  /** How much longer than the database file its contents may be; the rest lies in the log alone. */
  private readonly growthBytes: number
  private readonly state
  /** Pages that commits since the last look may have added. */
  private added = 0
  private failure: StoreFailed | null = null

  constructor(client: Client, file: string) {
    const { totalBytes } = diskSpace(dirname(file))
    this.client = client
    this.file = file
    this.pageSize = Number(client.pragma('page_size', { simple: true }))
    this.keptBytes = walBytesKept(totalBytes)
    this.checkpointPages = Math.min(AUTOCHECKPOINT_PAGES, Math.floor(this.keptBytes / 2 / this.pageSize))
    this.growthBytes = reserveBytes(totalBytes) / 2
    this.state = client
      .prepare<[], [busy: number, log: number, checkpointed: number]>('PRAGMA wal_checkpoint(NOOP)')
      .raw()
    client.pragma(`journal_size_limit = ${this.keptBytes}`)
    client.pragma(`wal_autocheckpoint = ${this.checkpointPages}`)
  }

  onFullDisk(isFull: boolean): void {
    const pages = isFull ? Math.min(FULL_DISK_PAGES, this.checkpointPages) : this.checkpointPages
    this.client.pragma(`wal_autocheckpoint = ${pages}`)
  }

  /** Before a commit. The one during which a checkpoint failed is stored, and so was answered. */
  assertSound(): void {
    if (this.failure) throw this.failure
  }

  /**
   * After a commit. What the database file lacks is written to it before it could outgrow the reserve. SQLite's own
   * checkpoints report no failure, so a log that is still long after one is written back here as well. Never throws: the
   * commit is durable and has to be acknowledged, so a failure is thrown before the next one.
   */
  committed(ops: readonly Op[]): void {
    try {
      this.writeBackIfLong(ops)
    } catch (error) {
      const trouble = troubleAt(this.file, error)
      if (trouble === 'busy' || trouble === 'full') return
      this.failure = error instanceof StoreFailed ? error : notWrittenBack(error)
    }
  }

  private writeBackIfLong(ops: readonly Op[]): void {
    this.added += pagesOf(ops, this.pageSize)
    const growthPages = this.growthBytes / this.pageSize
    if (this.added < growthPages / 4) return
    this.added = 0
    const [, log = 0, checkpointed = 0] = this.state.get() ?? []
    const isLate = log >= this.checkpointPages && checkpointed < log
    const isMuch = log - checkpointed > growthPages && this.missingBytes() > this.growthBytes
    if (isLate || isMuch) this.checkpoint('PASSIVE')
  }

  isLong(): boolean {
    return walBytes(this.file) > this.keptBytes
  }

  /**
   * Not inside a transaction. False when readers, other writers or a full disk kept it from being done, which is no failure.
   * Throws StoreFailed when the file cannot be written: the log would grow without end, and the next error may be in it.
   */
  checkpoint(mode: Mode): boolean {
    try {
      const [row] = this.client.prepare<[], [number]>(`PRAGMA wal_checkpoint(${mode})`).raw().all()
      return row?.[0] === 0
    } catch (error) {
      const trouble = troubleAt(this.file, error)
      if (trouble === 'busy' || trouble === 'full') return false
      throw trouble === 'fatal' ? notWrittenBack(error) : error
    }
  }

  /** What the database file will grow by when the log is written back. */
  missingBytes(): number {
    const pages = Number(this.client.pragma('page_count', { simple: true }))
    return pages * this.pageSize - (statSync(this.file, { throwIfNoEntry: false })?.size ?? 0)
  }
}

function notWrittenBack(error: unknown): StoreFailed {
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreFailed(
    `The write-ahead log cannot be written back to the database file (${reason}). What was acknowledged is in the log; ` +
      'keep it beside the file, check the disk, and start again.',
    { cause: error },
  )
}

function pagesOf(ops: readonly Op[], pageSize: number): number {
  let pages = ops.length
  for (const op of ops) {
    if (op.kind !== 'enqueue') continue
    for (const { payload } of op.jobs) pages += payload.length / pageSize
  }
  return pages
}
