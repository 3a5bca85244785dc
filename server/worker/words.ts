/** What a running handler says, on its way to the queue: lines in batches, of progress only the newest. */
import { QueueError } from '../../shared/errors.ts'
import type { LogStream } from '../../shared/job.ts'
import { limits } from '../../shared/limits.ts'
import type { Queue } from '../queue/queue.ts'

/** A handler may talk faster than the queue can write; what is older than these lines is dropped, and that is said. */
const MOST_WAITING = 2_000

interface Line {
  readonly line: string
  readonly stream: LogStream
}

export interface WordsParts {
  readonly queue: Pick<Queue, 'log' | 'progress'>
  readonly lease: { readonly id: string; readonly version: number }
  /** The queue no longer lets this attempt speak. */
  readonly onLost: () => void
  readonly onError: (error: unknown) => void
}

export class Words {
  private readonly parts: WordsParts
  private lines: Line[] = []
  private dropped = 0
  private newest: number | null = null
  private sending: Promise<void> | null = null
  private isOver = false

  constructor(parts: WordsParts) {
    this.parts = parts
  }

  log(line: string, stream: LogStream = 'log'): void {
    if (this.isOver) return
    if (this.lines.push({ line, stream }) > MOST_WAITING) {
      this.lines.shift()
      this.dropped += 1
    }
    this.send()
  }

  progress(percent: number): void {
    if (this.isOver || !Number.isFinite(percent)) return
    this.newest = Math.min(100, Math.max(0, percent))
    this.send()
  }

  /** Takes nothing more; done when all that was said has been sent: a job's last words come before its end. */
  async end(): Promise<void> {
    this.isOver = true
    while (this.sending) await this.sending
  }

  /** Nothing more is sent. */
  silence(): void {
    this.isOver = true
    this.lines = []
    this.newest = null
  }

  private send(): void {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null
    })
  }

  private async sendAll(): Promise<void> {
    // What is said in one turn travels together.
    await Promise.resolve()
    while (this.lines.length > 0 || this.newest !== null) {
      try {
        await this.sendSome()
      } catch (error) {
        const isLost = error instanceof QueueError && (error.code === 'STALE_CLAIM' || error.code === 'NOT_FOUND')
        if (isLost) {
          this.silence()
          this.parts.onLost()
        } else this.parts.onError(error)
      }
    }
  }

  private async sendSome(): Promise<void> {
    const { queue, lease } = this.parts
    const percent = this.newest
    this.newest = null
    if (percent !== null) await queue.progress({ ...lease, progress: percent })
    const lines = this.lines.splice(0, limits.logLines)
    if (this.dropped > 0 && lines.length > 0) {
      lines[0] = { line: `… ${this.dropped + 1} lines came too fast and were left out …`, stream: 'log' }
      this.dropped = 0
    }
    if (lines.length > 0) await queue.log({ ...lease, lines })
  }
}
