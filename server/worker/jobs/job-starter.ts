/** Starts the handlers of claimed jobs, at once or when a slot is free, and queues their outcomes. */

import type { SettleInput } from '../../../shared/contracts/work.ts'
import { isHandlerTrackingOn } from '../../../shared/handler-waits.ts'
import type { ClaimedJob } from '../../../shared/job.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { OpenCalls } from '../connection/open-calls.ts'
import type { WorkerEvents } from '../events.ts'
import type { CancelWatch } from '../heartbeats/cancel-watch.ts'
import { confirmLease } from '../heartbeats/confirm-lease.ts'
import type { Heartbeats } from '../heartbeats/heartbeats.ts'
import { abortAfterMs } from '../heartbeats/lease-deadlines.ts'
import type { WorkerDependencies } from '../worker-dependencies.ts'
import type { Handler } from './handler.ts'
import { JobsAhead } from './jobs-ahead.ts'
import { RunningJob, type RunningJobOptions } from './run-job.ts'
import type { RunningJobs } from './running-jobs.ts'
import type { Settlements } from './settlements.ts'
import { runInHandler, type WaitingHandler, WaitingHandlers } from './waiting-handlers.ts'

export interface JobStarterOptions
  extends Pick<
    WorkerDependencies,
    'queue' | 'name' | 'handlers' | 'concurrency' | 'prefetch' | 'leaseMs' | 'isLocal' | 'clock'
  > {
  readonly events: WorkerEvents
  readonly running: RunningJobs
  readonly settlements: Settlements
  readonly heartbeats: Heartbeats
  readonly cancelWatch: CancelWatch
  readonly calls: OpenCalls
  /** Aborted when the grace of `stop` is over. */
  readonly giveUp: AbortSignal
  /** False: claimed jobs are released instead of started. */
  readonly mayStart: () => boolean
  /** Resolves when the call may be retried. */
  readonly unreachable: (error: unknown) => Promise<void>
  /** Called when there is an outcome to settle or a free slot. */
  readonly changed: () => void
}

export interface LeasedJob {
  readonly job: ClaimedJob
  /** A monotonic time not later than the start of the lease. */
  readonly leasedAt: number
}

export class JobStarter {
  readonly ahead: JobsAhead
  private readonly options: JobStarterOptions
  /** Shared by all jobs: separate options would cost 3 % of a short job. */
  private readonly runOptions: RunningJobOptions
  private readonly waitingHandlers: WaitingHandlers
  /** The handlers that started while handlers were tracked. */
  private readonly tracked = new WeakMap<RunningJob, WaitingHandler>()

  constructor(options: JobStarterOptions) {
    this.options = options
    const { queue, calls, clock, concurrency, prefetch, handlers, events } = options
    this.ahead = new JobsAhead({
      ...{ prefetch, concurrency, clock },
      release: (job) => {
        this.release(job)
        options.changed()
      },
      lost: (job) => this.skip(job),
    })
    this.waitingHandlers = new WaitingHandlers({
      ...{ clock, concurrency },
      takes: (type) => handlers.has(type),
      warn: (error) => events.emit({ kind: 'error', error }),
    })
    const reports: Pick<Queue, 'log' | 'progress'> = {
      log: (input) => calls.run((signal) => queue.log(input, { signal })),
      progress: (input) => calls.run((signal) => queue.progress(input, { signal })),
    }
    this.runOptions = {
      ...{ queue: reports, clock },
      onDecided: (run, settle) => this.onDecided(run, settle),
      onReturned: (run) => this.onReturned(run),
      onError: (error) => events.emit({ kind: 'error', error }),
    }
  }

  /** Called after the last handler has returned. */
  stop(): void {
    this.waitingHandlers.stop()
  }

  async startAll(leased: readonly LeasedJob[]): Promise<void> {
    const { heartbeats, running, concurrency, mayStart } = this.options
    // Before the first handler, which may block this thread at once.
    for (const { job, leasedAt } of leased) {
      if (job.crashes === 0) heartbeats.hold({ id: job.id, version: job.version }, leasedAt, job.timeoutMs)
    }
    const jobs = leased.map(({ job }) => job)
    running.stopSuperseded(jobs)
    this.ahead.removeSuperseded(jobs)
    for (const leasedJob of leased) {
      if (leasedJob.job.crashes > 0) await this.startConfirmed(leasedJob.job)
      else if (running.size < concurrency || !mayStart()) this.start(leasedJob)
      else this.ahead.add(leasedJob)
    }
  }

  /** Starts jobs that were claimed in advance, as far as slots are free. */
  private startAhead(): void {
    const { running, concurrency } = this.options
    while (running.size < concurrency) {
      const next = this.ahead.take()
      if (!next) return
      this.start(next)
    }
  }

  /**
   * A job with crashes is claimed alone and started only after a confirmed heartbeat, so that a crash from here on counts
   * for this job. It is released when the heartbeat is not confirmed before the lease expires.
   */
  private async startConfirmed(job: ClaimedJob): Promise<void> {
    const { queue, name: worker, leaseMs, clock, calls, heartbeats, unreachable, giveUp } = this.options
    const lease = { id: job.id, version: job.version }
    const confirmed = await confirmLease({
      ...{ leaseMs, clock, giveUp },
      heartbeat: () => calls.run((signal) => queue.heartbeat({ worker, leaseMs, leases: [lease] }, { signal })),
      onError: unreachable,
    })
    if (confirmed === 'lost') return
    if (confirmed === 'unconfirmed') return this.release(job)
    heartbeats.hold(lease, confirmed.sentAt, job.timeoutMs)
    this.start({ job, leasedAt: confirmed.sentAt })
  }

  private start({ job, leasedAt }: LeasedJob): void {
    const { clock, handlers, leaseMs, isLocal, events, running, cancelWatch, mayStart } = this.options
    const handler = handlers.get(job.type)
    // The response took so long that the lease may have expired.
    const isTooLate = !isLocal && leasedAt + abortAfterMs(leaseMs) <= clock.monotonic()
    if (!handler || isTooLate || !mayStart()) {
      this.release(job)
      return
    }
    if (events.hasListener('claimed'))
      events.emit({ kind: 'claimed', id: job.id, type: job.type, attempt: job.attempts })
    const run = isHandlerTrackingOn()
      ? this.trackedRun(job, leasedAt, handler)
      : new RunningJob({ job, leasedAt, handler }, this.runOptions)
    running.add(run)
    cancelWatch.started()
    run.start()
  }

  private release(job: ClaimedJob): void {
    const lease = { id: job.id, version: job.version }
    this.options.settlements.add({ run: { job, lease }, settle: { ...lease, kind: 'release' }, runMs: 0 })
  }

  private trackedRun(job: ClaimedJob, leasedAt: number, handler: Handler): RunningJob {
    const waiting = this.waitingHandlers.handler()
    const inHandler: Handler = (context) => runInHandler(waiting, () => handler(context))
    const run = new RunningJob({ job, leasedAt, handler: inHandler }, this.runOptions)
    this.tracked.set(run, waiting)
    return run
  }

  private onReturned(run: RunningJob): void {
    this.tracked.get(run)?.end()
    this.options.running.returned(run)
    this.startAhead()
    this.options.changed()
  }

  private onDecided(run: RunningJob, settle: SettleInput | null): void {
    const { running, clock, settlements, changed } = this.options
    running.decided(run)
    const runMs = clock.monotonic() - run.startedAt
    this.ahead.observe(runMs)
    if (settle) settlements.add({ run, settle, runMs })
    else this.skip(run.job)
    changed()
  }

  private skip({ id, type, attempts: attempt, version }: ClaimedJob): void {
    this.options.heartbeats.drop({ id, version })
    this.options.events.emit({ kind: 'skipped', id, type, attempt, reason: 'its lease was lost' })
  }
}
