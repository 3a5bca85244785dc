/** Sends a handler's log lines in batches, and the newest progress value. */

import { type ErrorCode, QueueError } from '../../../shared/errors.ts'
import type { LogStream } from '../../../shared/job.ts'
import { sanitise } from '../../../shared/json/text.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Clock } from '../../base/clock.ts'

/** A handler may log faster than the queue can write. Older lines are dropped and replaced by a note. */
const MAX_BUFFERED = 2_000
/** Retries for about 10 s, the time of a server restart. */
const MAX_TRIES = 20
const RETRY_DELAY_MS = 500
const LOST: readonly ErrorCode[] = ['STALE_CLAIM', 'NOT_FOUND']
const RETRYABLE: readonly ErrorCode[] = ['UNREACHABLE', 'BUSY', 'CLOSED', 'DISK_FULL']

interface Line {
  readonly line: string
  readonly stream: LogStream
}

export interface JobOutputOptions {
  readonly queue: Pick<Queue, 'log' | 'progress'>
  readonly lease: { readonly id: string; readonly version: number }
  readonly clock: Clock
  /** The queue rejects output of this attempt: its lease is lost. */
  readonly onLost: () => void
  readonly onError: (error: unknown) => void
}

export class JobOutput {
  private readonly options: JobOutputOptions
  private lines: Line[] = []
  private dropped = 0
  private newestProgress: number | null = null
  private sending: Promise<void> | null = null
  private isEnded = false
  private isDiscarded = false

  constructor(options: JobOutputOptions) {
    this.options = options
  }

  log(line: string, stream: LogStream = 'log'): void {
    if (this.isEnded) return
    // Truncated here: the queue rejects a whole batch for one line that is too long.
    if (this.lines.push({ line: sanitise(String(line), limits.logLineLength), stream }) > MAX_BUFFERED) {
      this.lines.shift()
      this.dropped += 1
    }
    this.send()
  }

  progress(percent: number): void {
    if (!Number.isFinite(percent)) {
      throw new QueueError('BAD_INPUT', `progress(${percent}) is not a number; pass a percentage from 0 to 100.`)
    }
    if (this.isEnded) return
    this.newestProgress = Math.min(100, Math.max(0, percent))
    this.send()
  }

  /** Accepts no more output. Resolves when all output is sent, so that it is stored before the outcome of the job. */
  async end(): Promise<void> {
    this.isEnded = true
    while (this.sending) await this.sending
  }

  /** Drops buffered output and accepts no more. */
  discard(): void {
    this.isEnded = true
    this.isDiscarded = true
    this.lines = []
    this.newestProgress = null
  }

  private send(): void {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null
    })
  }

  private async sendAll(): Promise<void> {
    // Batches the output of one turn.
    await Promise.resolve()
    for (let failures = 0; this.lines.length > 0 || this.newestProgress !== null; ) {
      const lines = this.takeLines()
      const percent = this.newestProgress
      this.newestProgress = null
      try {
        await this.sendBatch(lines, percent)
        failures = 0
      } catch (error) {
        failures += 1
        await this.failed(error, failures, () => this.putBack(lines, percent))
      }
    }
  }

  private async failed(error: unknown, failures: number, putBack: () => void): Promise<void> {
    const { clock, onError, onLost } = this.options
    const isOneOf = (codes: readonly ErrorCode[]) => error instanceof QueueError && codes.includes(error.code)
    if (isOneOf(LOST)) {
      this.discard()
      onLost()
      return
    }
    if (failures === 1) onError(error)
    if (!isOneOf(RETRYABLE) || failures >= MAX_TRIES) return
    putBack()
    await new Promise<void>((resolve) => clock.after(RETRY_DELAY_MS, resolve, true))
  }

  private takeLines(): Line[] {
    const lines = this.lines.splice(0, limits.logLines)
    if (this.dropped === 0 || lines.length === 0) return lines
    lines[0] = { line: `… ${this.dropped + 1} lines dropped: logged faster than they could be stored …`, stream: 'log' }
    this.dropped = 0
    return lines
  }

  private putBack(lines: readonly Line[], percent: number | null): void {
    if (this.isDiscarded) return
    this.lines.unshift(...lines)
    this.newestProgress ??= percent
    const excess = this.lines.length - MAX_BUFFERED
    if (excess <= 0) return
    this.lines.splice(0, excess)
    this.dropped += excess
  }

  private async sendBatch(lines: Line[], percent: number | null): Promise<void> {
    const { queue, lease } = this.options
    if (percent !== null) await queue.progress({ ...lease, progress: percent })
    if (lines.length > 0) await queue.log({ ...lease, lines })
  }
}
