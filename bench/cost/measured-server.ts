/** The compiled server on a SQLite file, with what it uses. */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMicrosOf, memoryOf, writtenBytesOf } from '../harness/process-use.ts'
import { SERVER, type ServerChild, startChild } from '../harness/server-child.ts'

/** The file and its log. */
const DATABASE: ReadonlySet<string> = new Set(['queue.db', 'queue.db-wal'])

/** Idle time before memory is read: the heap shrinks after a load. */
const SETTLE_MS = 2_000

export class MeasuredServer {
  /** From starting the process until it accepts requests. */
  readonly startMs: number
  readonly url: string
  private readonly folder: string
  private readonly child: ServerChild

  private constructor(folder: string, child: ServerChild, startMs: number) {
    this.folder = folder
    this.child = child
    this.startMs = startMs
    this.url = child.url
  }

  /** An existing folder is opened again. */
  static async start(parent: string, name: string): Promise<MeasuredServer> {
    const folder = join(parent, name)
    mkdirSync(folder, { recursive: true })
    const startedAt = performance.now()
    const child = await startChild(SERVER, folder, { DB_PATH: join(folder, 'queue.db'), PORT: '0' })
    return new MeasuredServer(folder, child, performance.now() - startedAt)
  }

  /** Bytes in memory after a pause; null: unknown on this platform. */
  async memory(): Promise<number | null> {
    await sleep(SETTLE_MS)
    return this.child.pid === undefined ? null : memoryOf(this.child.pid)
  }

  /** Bytes that it has sent to the disk: its log, checkpoints and all. */
  writtenBytes(): number | null {
    return this.child.pid === undefined ? null : writtenBytesOf(this.child.pid)
  }

  cpuMicros(): number | null {
    return this.child.pid === undefined ? null : cpuMicrosOf(this.child.pid)
  }

  /** Returns the bytes of the database, which has no log after a proper end; without the reserve for a full disk. */
  async stop(): Promise<number> {
    await this.child.stop()
    const files = readdirSync(this.folder).filter((file) => DATABASE.has(file))
    return files.reduce((sum, file) => sum + statSync(join(this.folder, file)).size, 0)
  }
}
