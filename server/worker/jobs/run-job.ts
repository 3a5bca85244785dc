/** One attempt: runs the handler, listens for reasons to stop it, and says how the attempt ends. */
import type { SettleInput } from '../../../shared/contracts/work.ts'
import type { ClaimedJob } from '../../../shared/job.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Queue } from '../../queue/queue.ts'
import { timeoutAfterMs, timeoutError } from '../heartbeats/attempt-timeouts.ts'
import { type Handler, type JobContext, Stopped, type StopReason } from './handler.ts'
import { isOutcome } from './handler-errors.ts'
import { Words } from './job-output.ts'
import { failureOf, resultOf } from './outcome.ts'

export interface RunParts {
  readonly queue: Pick<Queue, 'log' | 'progress'>
  readonly clock: Clock
  /** A monotonic time that is not later than the start of the attempt. */
  readonly since: number
  readonly handler: Handler
  readonly onError: (error: unknown) => void
}

export class RunningJob {
  readonly job: ClaimedJob
  readonly startedAt: number
  /** How it is to be settled; null when this attempt has no say any more. Known as soon as it is decided. */
  readonly ending: Promise<SettleInput | null>
  /** When the handler is really over, which may be later. */
  readonly over: Promise<void>
  private readonly parts: RunParts
  private readonly stopper = new AbortController()
  private readonly words: Words
  private readonly timer: Timer | null
  private decide: (settle: SettleInput | null) => void = () => {}
  private decided = false
  private isDisconnected = false

  constructor(job: ClaimedJob, parts: RunParts) {
    this.job = job
    this.parts = parts
    this.startedAt = parts.clock.monotonic()
    this.ending = new Promise((resolve) => {
      this.decide = resolve
    })
    const { queue, clock, onError } = parts
    this.words = new Words({ queue, lease: this.lease, clock, onError, onLost: () => this.stop('lost') })
    this.timer = job.timeoutMs === null ? null : this.startTimer(job.timeoutMs)
    this.over = this.run()
  }

  /** Its handler has been asked to stop. */
  get isAborted(): boolean {
    return this.stopper.signal.aborted
  }

  get lease(): { readonly id: string; readonly version: number } {
    return { id: this.job.id, version: this.job.version }
  }

  /**
   * Aborts the handler. What is lost or given back is not settled by it any more. After `disconnected` the attempt stays
   * open: its version may still be current, and the queue decides by that when it is reached again.
   */
  stop(why: StopReason): void {
    this.stopper.abort(new Stopped(why, MESSAGES[why]))
    if (why === 'disconnected') this.isDisconnected = true
    if (why === 'lost') void this.end(null)
    if (why === 'timeout') void this.end({ ...this.lease, kind: 'fail', error: timeoutError(this.job.timeoutMs ?? 0) })
    if (why === 'shutdown') void this.end({ ...this.lease, kind: 'release' })
  }

  private async run(): Promise<void> {
    try {
      await this.end(resultOf(this.lease, await this.parts.handler(this.context())))
    } catch (error) {
      await this.end(this.afterError(error))
    }
  }

  /** An error after the abort is taken for its consequence, so the attempt is given back; a stated outcome counts. */
  private afterError(error: unknown): SettleInput {
    if (this.isDisconnected && !isOutcome(error)) return { ...this.lease, kind: 'release' }
    return failureOf(this.lease, error)
  }

  /** The first decision counts; a job's last words come before its end. */
  private async end(settle: SettleInput | null): Promise<void> {
    if (this.decided) return
    this.decided = true
    this.timer?.cancel()
    if (settle === null) this.words.silence()
    await this.words.end()
    this.decide(settle)
  }

  private context(): JobContext {
    const { id, type, payload, version, attempts, maxAttempts, createdAt, traceparent } = this.job
    return {
      ...{ id, type, payload, version, attempt: attempts, maxAttempts, createdAt, traceparent },
      signal: this.stopper.signal,
      progress: (percent) => this.words.progress(percent),
      log: (line, stream) => this.words.log(line, stream),
    }
  }

  private startTimer(timeoutMs: number): Timer {
    const { clock, since } = this.parts
    const dueAt = since + timeoutAfterMs(timeoutMs)
    return clock.after(Math.max(0, dueAt - clock.monotonic()), () => this.stop('timeout'))
  }
}

const MESSAGES: Readonly<Record<StopReason, string>> = {
  lost: 'The lease of this job was lost; another worker may run it.',
  disconnected: 'The queue did not confirm the lease of this job in time; another worker may soon run it.',
  cancelled: 'This job was cancelled.',
  timeout: 'The time for this attempt is over.',
  shutdown: 'This worker is stopping; the job was given back.',
}
