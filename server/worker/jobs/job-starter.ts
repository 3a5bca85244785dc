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

/**
 * How long jobs that were claimed in advance start one after the other, before outcomes are sent. Sending after each handler took
 * 25 % more CPU time per job with 50 slots and empty handlers, and 45 % more with one, because an exchange held fewer jobs.
 */
const TURN_MS = 5

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
  private isYielding = false
  /** When this turn began to start jobs. */
  private turnStartedAt = Number.NEGATIVE_INFINITY
  /** The handlers that started while handlers were tracked. */
  private readonly tracked = new WeakMap<RunningJob, WaitingHandler>()

  constructor(options: JobStarterOptions) {
    this.options = options
    const { queue, calls, clock, concurrency, prefetch, handlers, events, heartbeats } = options
    this.ahead = new JobsAhead({
      ...{ prefetch, concurrency, clock },
      wait: ({ job: { id, version }, leasedAt }) => heartbeats.wait({ id, version }, leasedAt),
      take: ({ id, version }) => heartbeats.take({ id, version }),
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

  /** Starts jobs as far as slots are free; the others wait or are released. */
  async startAll(leased: readonly LeasedJob[]): Promise<void> {
    const { running } = this.options
    const jobs = leased.map(({ job }) => job)
    running.stopSuperseded(jobs)
    this.ahead.removeSuperseded(jobs)
    const claimedEarlier = this.ahead.size
    const { starting, released } = this.hold(leased)
    if (released.length > 0) await this.releaseFirst(released)
    this.turnStartedAt = this.options.clock.monotonic()
    this.startAhead(claimedEarlier)
    for (const leasedJob of starting) {
      if (leasedJob.job.crashes > 0) await this.startConfirmed(leasedJob.job)
      else this.start(leasedJob)
    }
    this.continueAhead()
  }

  /** Before the first handler, which may block this thread at once. */
  private hold(leased: readonly LeasedJob[]): { starting: readonly LeasedJob[]; released: readonly ClaimedJob[] } {
    const { heartbeats, running, concurrency, mayStart } = this.options
    const starting: LeasedJob[] = []
    const released: ClaimedJob[] = []
    let free = mayStart() ? concurrency - running.size - this.ahead.size : leased.length
    for (const leasedJob of leased) {
      const { job, leasedAt } = leasedJob
      if (job.crashes > 0) starting.push(leasedJob)
      else if (free > 0) {
        free -= 1
        heartbeats.hold({ id: job.id, version: job.version }, leasedAt, job.timeoutMs)
        starting.push(leasedJob)
      } else if (!this.ahead.add(leasedJob)) released.push(job)
    }
    return { starting, released }
  }

  /**
   * Releases jobs that may not wait, before another handler starts: it may crash the process, and that would use up their last
   * attempt. This happens at most once a minute.
   */
  private async releaseFirst(jobs: readonly ClaimedJob[]): Promise<void> {
    const { settlements, calls, queue, name: worker, unreachable, giveUp } = this.options
    for (const job of jobs) this.release(job)
    while (settlements.ready > 0 && !giveUp.aborted) {
      try {
        await settlements.deliverAll((settle) => calls.run((signal) => queue.exchange({ worker, settle }, { signal })))
      } catch (error) {
        await unreachable(error)
      }
    }
  }

  /** Starts jobs that were claimed in advance, as far as slots are free. */
  private startAhead(most = Number.POSITIVE_INFINITY): void {
    const { running, concurrency } = this.options
    for (let started = 0; started < most && running.size < concurrency; started++) {
      const next = this.ahead.take()
      if (!next) return
      this.start(next)
    }
  }

  /**
   * Handlers without I/O run in one chain of microtasks. It is interrupted after `TURN_MS`, so that outcomes are sent and a crash
   * repeats at most the handlers of this time.
   */
  private continueAhead(): void {
    const { clock } = this.options
    if (this.isYielding || this.ahead.size === 0) return
    if (clock.monotonic() - this.turnStartedAt < TURN_MS) {
      this.startAhead()
      return
    }
    this.isYielding = true
    setImmediate(() => {
      this.isYielding = false
      this.turnStartedAt = clock.monotonic()
      this.startAhead()
    })
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
    this.continueAhead()
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
