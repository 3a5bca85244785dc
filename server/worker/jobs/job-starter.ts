/** Starts the handlers of claimed jobs, and passes on how each of them ended. */
import type { ClaimedJob } from '../../../shared/job.ts'
import type { Queue } from '../../queue/queue.ts'
import type { OpenCalls } from '../connection/open-calls.ts'
import type { WorkerEvents } from '../events.ts'
import type { CancelWatch } from '../heartbeats/cancel-watch.ts'
import { confirmLease } from '../heartbeats/confirm-lease.ts'
import type { Heartbeats } from '../heartbeats/heartbeats.ts'
import { abortAfterMs } from '../heartbeats/lease-deadlines.ts'
import type { WorkerParts } from '../worker-parts.ts'
import type { Handler } from './handler.ts'
import { runInHandler } from './handler-context.ts'
import { RunningJob } from './run-job.ts'
import type { RunningJobs } from './running-jobs.ts'
import type { Settlements } from './settlements.ts'
import { WaitingHandlers } from './waiting-handlers.ts'

export interface JobStarterParts
  extends Pick<WorkerParts, 'queue' | 'name' | 'handlers' | 'concurrency' | 'leaseMs' | 'isLocal' | 'clock'> {
  readonly events: WorkerEvents
  readonly running: RunningJobs
  readonly settlements: Settlements
  readonly heartbeats: Heartbeats
  readonly cancelWatch: CancelWatch
  readonly calls: OpenCalls
  /** Aborted when nothing is waited for any more. */
  readonly giveUp: AbortSignal
  /** Whether jobs are still wanted; else they are given back. */
  readonly mayStart: () => boolean
  /** Resolves when the queue may be asked again. */
  readonly unreachable: (error: unknown) => Promise<void>
  /** There is an outcome, or a free slot. */
  readonly changed: () => void
}

export interface LeasedJob {
  readonly job: ClaimedJob
  /** A monotonic time that is not later than the start of the lease. */
  readonly since: number
}

export class JobStarter {
  private readonly parts: JobStarterParts
  private readonly reports: Pick<Queue, 'log' | 'progress'>
  private readonly waitingHandlers: WaitingHandlers

  constructor(parts: JobStarterParts) {
    this.parts = parts
    const { queue, calls, clock, concurrency, handlers, events } = parts
    this.waitingHandlers = new WaitingHandlers({
      ...{ clock, concurrency },
      takes: (type) => handlers.has(type),
      warn: (error) => events.tell({ kind: 'trouble', error }),
    })
    this.reports = {
      log: (input) => calls.run((signal) => queue.log(input, { signal })),
      progress: (input) => calls.run((signal) => queue.progress(input, { signal })),
    }
  }

  /** After the last handler; nothing is started any more. */
  stop(): void {
    this.waitingHandlers.stop()
  }

  async startAll(leased: readonly LeasedJob[]): Promise<void> {
    const { heartbeats, running } = this.parts
    // All of them first: a handler may hold this thread from its first line on.
    for (const { job, since } of leased) {
      if (job.crashes === 0) heartbeats.hold({ id: job.id, version: job.version }, since, job.timeoutMs)
    }
    running.stopSuperseded(leased.map(({ job }) => job))
    for (const one of leased) {
      if (one.job.crashes === 0) this.start(one)
      else await this.startConfirmed(one.job)
    }
  }

  /**
   * A job with crashes came alone, and is started only when the queue knows that it has arrived: if this process ends from here
   * on, the crash is the job's own. What cannot be confirmed before the lease ends is given back.
   */
  private async startConfirmed(job: ClaimedJob): Promise<void> {
    const { queue, name: worker, leaseMs, clock, calls, heartbeats, unreachable, giveUp } = this.parts
    const lease = { id: job.id, version: job.version }
    const confirmed = await confirmLease({
      ...{ leaseMs, clock, giveUp },
      heartbeat: () => calls.run((signal) => queue.heartbeat({ worker, leaseMs, leases: [lease] }, { signal })),
      onError: unreachable,
    })
    if (confirmed === 'lost') return
    if (confirmed === 'unconfirmed') return this.release(job)
    heartbeats.hold(lease, confirmed.sentAt, job.timeoutMs)
    this.start({ job, since: confirmed.sentAt })
  }

  private start({ job, since }: LeasedJob): void {
    const { clock, handlers, leaseMs, isLocal, events, running, cancelWatch, mayStart, changed } = this.parts
    const handler = handlers.get(job.type)
    // The response was on its way for so long that the lease may have ended.
    const isTooLate = !isLocal && since + abortAfterMs(leaseMs) <= clock.monotonic()
    if (!handler || isTooLate || !mayStart()) {
      this.release(job)
      return
    }
    const onError = (error: unknown) => events.tell({ kind: 'trouble', error })
    events.tell({ kind: 'claimed', id: job.id, type: job.type, attempt: job.attempts })
    const context = this.waitingHandlers.handler()
    const inContext: Handler = (given) => runInHandler(context, () => handler(given))
    const run = new RunningJob(job, { queue: this.reports, clock, since, handler: inContext, onError })
    running.add(run)
    cancelWatch.started()
    void run.ending.then((settle) => this.decided(run, settle))
    void run.over.then(() => {
      context.end()
      running.returned(run)
      changed()
    })
  }

  private release(job: ClaimedJob): void {
    const lease = { id: job.id, version: job.version }
    this.parts.settlements.add({ run: { job, lease }, settle: { ...lease, kind: 'release' }, runMs: 0 })
  }

  private decided(run: RunningJob, settle: Awaited<RunningJob['ending']>): void {
    const { running, clock, settlements, heartbeats, events, changed } = this.parts
    running.decided(run)
    const runMs = clock.monotonic() - run.startedAt
    if (settle) settlements.add({ run, settle, runMs })
    else {
      heartbeats.drop(run.lease)
      const { id, type, attempts: attempt } = run.job
      events.tell({ kind: 'skipped', id, type, attempt, reason: 'its lease was lost' })
    }
    changed()
  }
}
