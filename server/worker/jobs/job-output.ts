/** What a running handler says, on its way to the queue: lines in batches, of progress only the newest. */
import { type ErrorCode, QueueError } from '../../../shared/errors.ts'
import type { LogStream } from '../../../shared/job.ts'
import { sanitise } from '../../../shared/json/text.ts'
import { limits } from '../../../shared/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { Queue } from '../../queue/queue.ts'

/** A handler may talk faster than the queue can write; what is older than these lines is dropped, and that is said. */
const MOST_WAITING = 2_000
/** A queue that cannot take them now is asked again for about as long as a server takes to come back. */
const TRIES = 20
const PAUSE_MS = 500
const LOST: readonly ErrorCode[] = ['STALE_CLAIM', 'NOT_FOUND']
const IN_TROUBLE: readonly ErrorCode[] = ['UNREACHABLE', 'BUSY', 'CLOSED', 'DISK_FULL']

interface Line {
  readonly line: string
  readonly stream: LogStream
}

export interface WordsParts {
  readonly queue: Pick<Queue, 'log' | 'progress'>
  readonly lease: { readonly id: string; readonly version: number }
  readonly clock: Clock
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
  private isSilent = false

  constructor(parts: WordsParts) {
    this.parts = parts
  }

  log(line: string, stream: LogStream = 'log'): void {
    if (this.isOver) return
    // Cut here: a batch with one line that the queue refuses would be lost, all of it.
    if (this.lines.push({ line: sanitise(String(line), limits.logLineLength), stream }) > MOST_WAITING) {
      this.lines.shift()
      this.dropped += 1
    }
    this.send()
  }

  progress(percent: number): void {
    if (!Number.isFinite(percent)) {
      throw new QueueError('BAD_INPUT', `progress(${percent}): the percentage must be a number; 0 to 100 is expected.`)
    }
    if (this.isOver) return
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
    this.isSilent = true
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
    for (let failures = 0; this.lines.length > 0 || this.newest !== null; ) {
      const lines = this.takeLines()
      const percent = this.newest
      this.newest = null
      try {
        await this.sendSome(lines, percent)
        failures = 0
      } catch (error) {
        failures += 1
        await this.failed(error, failures, () => this.putBack(lines, percent))
      }
    }
  }

  private async failed(error: unknown, failures: number, putBack: () => void): Promise<void> {
    const { clock, onError, onLost } = this.parts
    const isOneOf = (codes: readonly ErrorCode[]) => error instanceof QueueError && codes.includes(error.code)
    if (isOneOf(LOST)) {
      this.silence()
      onLost()
      return
    }
    if (failures === 1) onError(error)
    if (!isOneOf(IN_TROUBLE) || failures >= TRIES) return
    putBack()
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve, true))
  }

  private takeLines(): Line[] {
    const lines = this.lines.splice(0, limits.logLines)
    if (this.dropped === 0 || lines.length === 0) return lines
    lines[0] = { line: `… ${this.dropped + 1} lines came too fast and were left out …`, stream: 'log' }
    this.dropped = 0
    return lines
  }

  private putBack(lines: readonly Line[], percent: number | null): void {
    if (this.isSilent) return
    this.lines.unshift(...lines)
    this.newest ??= percent
    const tooMany = this.lines.length - MOST_WAITING
    if (tooMany <= 0) return
    this.lines.splice(0, tooMany)
    this.dropped += tooMany
  }

  private async sendSome(lines: Line[], percent: number | null): Promise<void> {
    const { queue, lease } = this.parts
    if (percent !== null) await queue.progress({ ...lease, progress: percent })
    if (lines.length > 0) await queue.log({ ...lease, lines })
  }
}
