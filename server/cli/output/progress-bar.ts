/** Progress bar on one terminal line; draws nothing without a terminal. */
import type { Clock } from '../../base/clock.ts'
import type { Output } from '../io.ts'
import { grouped } from './format.ts'

const EVERY_MS = 100
const WIDTH = 24

export class ProgressBar {
  private readonly output: Output
  private readonly clock: Clock
  /** Size of the input. null: unknown. */
  private readonly totalBytes: number | null
  private readonly startedAt: number
  private drawnAt = Number.NEGATIVE_INFINITY
  private isDrawn = false

  constructor(output: Output, clock: Clock, totalBytes: number | null) {
    this.output = output
    this.clock = clock
    this.totalBytes = totalBytes
    this.startedAt = clock.monotonic()
  }

  draw(jobs: number, readBytes: number): void {
    const now = this.clock.monotonic()
    if (!this.output.isTTY || now - this.drawnAt < EVERY_MS) return
    this.drawnAt = now
    this.isDrawn = true
    const perSecond = Math.round((jobs * 1_000) / Math.max(1, now - this.startedAt))
    this.output.write(`\r\u001b[K${this.bar(readBytes)}${grouped(jobs)} jobs  ${grouped(perSecond)}/s`)
  }

  clear(): void {
    if (this.isDrawn) this.output.write('\r\u001b[K')
    this.isDrawn = false
  }

  private bar(readBytes: number): string {
    if (!this.totalBytes) return ''
    const share = Math.min(1, readBytes / this.totalBytes)
    const full = Math.round(share * WIDTH)
    return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${String(Math.floor(share * 100)).padStart(3)} %  `
  }
}
