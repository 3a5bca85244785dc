/** Keeps the last of the space for finishing work: new jobs are refused first, completes and retention still fit. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { Client } from './open.ts'

const MAX_RESERVE_BYTES = 32 * 1024 * 1024
const RESERVE_SHARE = 0.05
const LOOK_EVERY_MS = 1_000

export class DiskReserve {
  private readonly client: Client
  private readonly folder: string | null
  private readonly maxBytes: number | null
  private readonly clock: Clock
  private lookedAt = Number.NEGATIVE_INFINITY
  private diskIsLow = false

  constructor(client: Client, file: string, maxBytes: number | null, clock: Clock) {
    this.client = client
    this.folder = file === ':memory:' ? null : dirname(file)
    this.maxBytes = maxBytes
    this.clock = clock
  }

  isLow(): boolean {
    return this.fileIsLow() || this.lookAtDisk()
  }

  /** Against the limit set for the file; pages that were freed count as space. */
  private fileIsLow(): boolean {
    if (this.maxBytes === null) return false
    const [pageSize, pages, free] = ['page_size', 'page_count', 'freelist_count'].map((name) =>
      Number(this.client.pragma(name, { simple: true })),
    )
    const used = ((pages ?? 0) - (free ?? 0)) * (pageSize ?? 0)
    return this.maxBytes - used < reserve(this.maxBytes)
  }

  private lookAtDisk(): boolean {
    const now = this.clock.monotonic()
    if (this.folder !== null && now - this.lookedAt >= LOOK_EVERY_MS) {
      this.lookedAt = now
      const { bsize, bavail, blocks } = statfsSync(this.folder)
      this.diskIsLow = bavail * bsize < reserve(blocks * bsize)
    }
    return this.diskIsLow
  }
}

function reserve(totalBytes: number): number {
  return Math.min(MAX_RESERVE_BYTES, totalBytes * RESERVE_SHARE)
}
