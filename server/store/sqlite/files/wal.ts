/** Checkpoints the WAL often enough for the disk, and fails the store when that is impossible. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Op } from '../../ops.ts'
import { StoreFailed } from '../../store.ts'
import { AUTOCHECKPOINT_PAGES, type Client, walBytes } from '../connection/open.ts'
import { classifyErrorAt } from './disk-quota.ts'
import { diskSpace, reserveBytes, walBytesKept } from './disk-space.ts'

/** On a full disk the WAL is reset often, so that it does not grow. */
const FULL_DISK_PAGES = 64

type Mode = 'PASSIVE' | 'RESTART' | 'TRUNCATE'

export class Wal {
  private readonly client: Client
  private readonly file: string
  private readonly pageSize: number
  private readonly checkpointPages: number
  private readonly keptBytes: number
  /** Maximum growth of the database that exists in the WAL only. */
  private readonly growthBytes: number
  private readonly state
  /** Upper estimate of the pages added since the last check. */
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

  /** To be called before a commit. The commit during which a checkpoint failed is durable and was acknowledged. */
  assertSound(): void {
    if (this.failure) throw this.failure
  }

  /**
   * To be called after a commit. Checkpoints before the growth of the database could exceed the reserve. SQLite's automatic
   * checkpoints report no failure, so a WAL that is still long after one is checkpointed here too. Never throws: the commit is
   * durable and has to be acknowledged, so a failure is thrown before the next commit.
   */
  committed(ops: readonly Op[]): void {
    try {
      this.checkpointIfLong(ops)
    } catch (error) {
      const kind = classifyErrorAt(this.file, error)
      if (kind === 'busy' || kind === 'full') return
      this.failure = error instanceof StoreFailed ? error : checkpointFailed(error)
    }
  }

  private checkpointIfLong(ops: readonly Op[]): void {
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
   * Not inside a transaction. False when readers, other writers or a full disk prevented it, which is no failure. Throws
   * StoreFailed when the file cannot be written: the WAL would grow without limit.
   */
  checkpoint(mode: Mode): boolean {
    try {
      const [row] = this.client.prepare<[], [number]>(`PRAGMA wal_checkpoint(${mode})`).raw().all()
      return row?.[0] === 0
    } catch (error) {
      const kind = classifyErrorAt(this.file, error)
      if (kind === 'busy' || kind === 'full') return false
      throw kind === 'fatal' ? checkpointFailed(error) : error
    }
  }

  /** Growth of the database file at the next full checkpoint. */
  missingBytes(): number {
    const pages = Number(this.client.pragma('page_count', { simple: true }))
    return pages * this.pageSize - (statSync(this.file, { throwIfNoEntry: false })?.size ?? 0)
  }
}

function checkpointFailed(error: unknown): StoreFailed {
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreFailed(
    `The WAL cannot be written back to the database file (${reason}). All acknowledged jobs are in the WAL: ` +
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
