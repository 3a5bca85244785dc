/** One attempt: runs the handler, aborts it when needed and decides the outcome. */

import type { SettleInput } from '../../../shared/contracts/work.ts'
import type { ClaimedJob } from '../../../shared/job.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { timeoutAfterMs, timeoutError } from '../heartbeats/attempt-timeouts.ts'
import type { Lease } from '../heartbeats/lease-set.ts'
import { type Handler, type JobContext, Stopped, type StopReason } from './handler.ts'
import { isOutcomeError } from './handler-errors.ts'
import { LazyContext } from './job-context.ts'
import { JobOutput } from './job-output.ts'
import { failureOf, resultOf } from './outcome.ts'

export interface RunningJobOptions {
  readonly queue: Pick<Queue, 'log' | 'progress'>
  readonly clock: Clock
  /** Called once with the settle request; null: the lease is lost. May be called before the handler returns. */
  readonly onDecided: (run: RunningJob, settle: SettleInput | null) => void
  readonly onReturned: (run: RunningJob) => void
  readonly onError: (error: unknown) => void
}

/** One claimed job. */
export interface Attempt {
  readonly job: ClaimedJob
  /** A monotonic time not later than the start of the lease. */
  readonly leasedAt: number
  readonly handler: Handler
}

/** Most handlers are short and use neither their signal nor the log: both are created at the first use. */
export class RunningJob {
  readonly job: ClaimedJob
  readonly lease: Lease
  readonly startedAt: number
  private readonly handler: Handler
  /** Shared by the jobs of a worker. */
  private readonly options: RunningJobOptions
  private readonly timer: Timer | null
  private stopper: AbortController | null = null
  private stopped: Stopped | null = null
  private output: JobOutput | null = null
  private decided = false
  private isDisconnected = false

  constructor({ job, leasedAt, handler }: Attempt, options: RunningJobOptions) {
    this.job = job
    this.lease = { id: job.id, version: job.version }
    this.handler = handler
    this.options = options
    this.startedAt = options.clock.monotonic()
    this.timer = job.timeoutMs === null ? null : this.startTimer(leasedAt, job.timeoutMs)
  }

  /** Calls the handler. The callbacks are never called before this returns. */
  start(): void {
    void this.run()
  }

  /** The handler was asked to stop by its signal. */
  get isAborted(): boolean {
    return this.stopped !== null
  }

  /**
   * Aborts the handler. After `lost`, `timeout` and `shutdown` its return value is ignored. After `disconnected` the attempt
   * stays open: its version may still be current, and the queue decides by that when it is reachable again.
   */
  stop(reason: StopReason): void {
    this.stopped ??= new Stopped(reason, MESSAGES[reason])
    this.stopper?.abort(this.stopped)
    if (reason === 'disconnected') this.isDisconnected = true
    if (reason === 'lost') void this.end(null)
    if (reason === 'timeout')
      void this.end({ ...this.lease, kind: 'fail', error: timeoutError(this.job.timeoutMs ?? 0) })
    if (reason === 'shutdown') void this.end({ ...this.lease, kind: 'release' })
  }

  private async run(): Promise<void> {
    try {
      const ended = this.end(resultOf(this.lease, await this.handler(this.context())))
      if (ended) await ended
    } catch (error) {
      // The handler may have thrown before `start` returned.
      await Promise.resolve()
      const ended = this.end(this.afterError(error))
      if (ended) await ended
    }
    this.options.onReturned(this)
  }

  /** After `disconnected` an error is taken for a consequence of the abort and releases the job; an outcome error counts. */
  private afterError(error: unknown): SettleInput {
    if (this.isDisconnected && !isOutcomeError(error)) return { ...this.lease, kind: 'release' }
    return failureOf(this.lease, error)
  }

  /** The first decision counts. Output is sent before the outcome; without output there is nothing to wait for. */
  private end(settle: SettleInput | null): Promise<void> | null {
    if (this.decided) return null
    this.decided = true
    this.timer?.cancel()
    if (settle === null) this.output?.discard()
    if (this.output) return this.output.end().then(() => this.options.onDecided(this, settle))
    this.options.onDecided(this, settle)
    return null
  }

  /** Of the handler; created at the first use. */
  get signal(): AbortSignal {
    if (!this.stopper) {
      this.stopper = new AbortController()
      if (this.stopped) this.stopper.abort(this.stopped)
    }
    return this.stopper.signal
  }

  private openOutput(): JobOutput {
    if (this.output) return this.output
    const { queue, clock, onError } = this.options
    this.output = new JobOutput({ queue, lease: this.lease, clock, onError, onLost: () => this.stop('lost') })
    // A handler that ignores its signal may still log after the outcome.
    if (this.decided) this.output.discard()
    return this.output
  }

  private context(): JobContext {
    const { id, type, payload, version, attempts: attempt, maxAttempts, createdAt, traceparent } = this.job
    const progress: JobContext['progress'] = (percent) => this.openOutput().progress(percent)
    const log: JobContext['log'] = (line, stream) => this.openOutput().log(line, stream)
    // Older servers send no tick.
    const { tick = null } = this.job
    const fields = { id, type, payload, version, attempt, maxAttempts, createdAt, traceparent, tick, progress, log }
    return new LazyContext(fields, payload, this)
  }

  private startTimer(leasedAt: number, timeoutMs: number): Timer {
    const { clock } = this.options
    const dueAt = leasedAt + timeoutAfterMs(timeoutMs)
    return clock.after(Math.max(0, dueAt - clock.monotonic()), () => this.stop('timeout'))
  }
}

const MESSAGES: Readonly<Record<StopReason, string>> = {
  lost: 'The lease of this job was lost; another worker may run it.',
  disconnected: 'The queue did not confirm the lease of this job in time; another worker may soon run it.',
  cancelled: 'This job was cancelled.',
  timeout: 'This attempt has timed out.',
  shutdown: 'This worker is stopping; the job was released.',
}
