/** The worker runtime: takes as many jobs as there are free slots, runs them, and gives each outcome back with the next take. */
import { QueueError } from '../../shared/errors.ts'
import type { ClaimedJob } from '../../shared/job.ts'
import { limits, SECOND } from '../../shared/limits.ts'
import type { Timer } from '../clock.ts'
import type { Queue } from '../queue/queue.ts'
import { CancelWatch } from './cancel-watch.ts'
import { confirmLease } from './confirm-lease.ts'
import { EMPTY_PULSE, type Heartbeats, type Pulse } from './heartbeats.ts'
import { abortAfterMs, leaseStart } from './lease-deadlines.ts'
import { WorkerEvents } from './lines.ts'
import { OpenCalls } from './open-calls.ts'
import { RetryPause } from './retry-pause.ts'
import { RunningJob } from './run-job.ts'
import { RunningJobs } from './running-jobs.ts'
import { Settlements } from './settlements.ts'
import { TypeWindow } from './type-window.ts'
import type { WorkerParts } from './worker-parts.ts'

const GRACE_MS = 30 * SECOND
/** How long a stop waits for a queue that must say which jobs a claim without a response took. */
const UNSURE_MS = 5 * SECOND

/** A running worker, from `createWorker` or `startWorker`. */
export class Worker {
  /** What happens in this worker: `worker.events.on('failed', …)`, or `onAny`. */
  readonly events = new WorkerEvents()
  private readonly parts: WorkerParts
  private readonly running = new RunningJobs()
  private readonly settlements: Settlements
  private readonly heartbeats: Heartbeats
  private readonly reports: Pick<Queue, 'log' | 'progress'>
  private readonly pause: RetryPause
  private readonly types: TypeWindow
  private readonly calls = new OpenCalls()
  private readonly cancelWatch: CancelWatch
  /** Aborted when nothing more is to be taken. */
  private readonly taking = new AbortController()
  /** Aborted when nothing is waited for any more. */
  private readonly giveUp = new AbortController()
  private readonly ended: Promise<void>
  private wake: () => void = () => {}
  /** Of the call that waits for work, while one does. */
  private waiting: AbortController | null = null
  /** A call was cut off: only asking again tells what it took. */
  private isUnsure = false
  /** Of the claim that has no response yet. */
  private requestId: string | null = null
  private isReady = false
  /** What must be done before a claim has been done on the queue as it is now. */
  private isPrepared = false
  private isHeld = false
  private graces: Timer[] = []
  private isOver = false
  private stoppedAt = 0
  private stopping: Promise<void> | null = null

  constructor(parts: WorkerParts) {
    this.parts = parts
    this.pause = new RetryPause(parts.clock, parts.random)
    this.types = new TypeWindow(parts.handlers)
    this.cancelWatch = new CancelWatch({
      ...{ queue: parts.queue, worker: parts.name, clock: parts.clock },
      leases: (ranMs) => this.running.leasesSince(parts.clock.monotonic() - ranMs),
      onCancelled: (cancelled) => this.felt({ ...EMPTY_PULSE, cancelled }),
    })
    this.settlements = new Settlements(this.events, ({ lease }) => this.heartbeats.drop(lease))
    this.reports = {
      log: (input) => this.calls.run((signal) => parts.queue.log(input, { signal })),
      progress: (input) => this.calls.run((signal) => parts.queue.progress(input, { signal })),
    }
    this.heartbeats = parts.heartbeats({
      onPulse: (pulse) => this.felt(pulse),
      onError: (error) => this.events.tell({ kind: 'trouble', error }),
    })
    void this.heartbeats.ready.then(() => {
      this.isReady = true
      this.wake()
    })
    this.ended = this.loop()
  }

  /** Its name in the list of workers. */
  get name(): string {
    return this.parts.name
  }

  /** How many handlers run now. */
  get busy(): number {
    return this.running.size
  }

  /** Claims nothing more until `resume`; running handlers go on. */
  hold(): void {
    this.isHeld = true
    this.hangUp()
  }

  /** Claims jobs again after `hold`. */
  resume(): void {
    this.isHeld = false
    this.wake()
  }

  /** Call it after changing the Map of handlers: the worker then asks for the new types. */
  handlersChanged(): void {
    this.hangUp()
  }

  /**
   * Claims nothing more, lets handlers finish for `graceMs` (default 30 s), then aborts them and gives their jobs back;
   * resolves when the queue knows of all of it. Of several calls the shortest grace counts.
   */
  stop({ graceMs = GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    this.stopping ??= this.end()
    if (graceMs <= 0) this.releaseAll()
    else if (Number.isFinite(graceMs) && !this.isOver) {
      this.graces.push(this.parts.clock.after(graceMs, () => this.releaseAll(), true))
    }
    return this.stopping
  }

  private async end(): Promise<void> {
    this.taking.abort()
    this.stoppedAt = this.parts.clock.monotonic()
    this.hangUp()
    await this.ended
    this.isOver = true
    this.cancelWatch.stop()
    for (const grace of this.graces) grace.cancel()
    await this.heartbeats.stop()
    this.events.tell({ kind: 'stopped' })
  }

  /** Also a claim that failed may have taken jobs: only its repeat shows. */
  private hangUp(): void {
    if (this.requestId !== null) this.isUnsure = true
    this.waiting?.abort()
    this.wake()
  }

  private releaseAll(): void {
    this.running.shutDown()
    this.giveUp.abort()
    this.wake()
  }

  private async loop(): Promise<void> {
    while (!this.isDone()) {
      const wanted = this.freeSlots()
      const free = wanted > 0 && (await this.prepared()) ? wanted : 0
      if (free === 0 && this.settlements.ready === 0) {
        // A failed preparation has already paused, and is tried again.
        if (wanted > 0) continue
        await this.nextChange()
        // What ends in the same turn travels together, and its slots are free by then.
        await new Promise(setImmediate)
        continue
      }
      await this.turn(free)
    }
  }

  private isDone(): boolean {
    if (!this.taking.signal.aborted) return false
    const isGivingUp = this.giveUp.signal.aborted
    if (isGivingUp && this.pause.outageMs !== null) return true
    // A handler that does not listen to its signal must not keep its worker from ending.
    const runs = isGivingUp ? this.running.undecidedSize : this.running.size
    const open = runs + this.settlements.size
    return open === 0 && (!this.isUnsure || this.isBeyondHelp())
  }

  /** Jobs of a claim without a response stay leased to a worker that is gone; it waits only so long for the queue. */
  private isBeyondHelp(): boolean {
    return this.pause.outageMs !== null && this.parts.clock.monotonic() - this.stoppedAt >= UNSURE_MS
  }

  private freeSlots(): number {
    // What a call that was cut off took has to be known, whatever becomes of it.
    if (this.isUnsure) return 1
    if (this.taking.signal.aborted || this.isHeld || !this.isReady || this.parts.handlers.size === 0) return 0
    return Math.min(limits.claim, this.parts.concurrency - this.running.size)
  }

  /** A worker that stops claims only to learn what an earlier call took, and gives it back. */
  private async prepared(): Promise<boolean> {
    const { prepare } = this.parts
    if (!prepare || this.isPrepared || this.taking.signal.aborted) return true
    try {
      this.isPrepared = true
      await this.calls.run((signal) => untilAborted(prepare, AbortSignal.any([signal, this.taking.signal])))
    } catch (error) {
      if (!this.taking.signal.aborted) await this.unreachable(error)
    }
    return this.isPrepared
  }

  /** Something finished, or there is something new to do. */
  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  /** Finishing and taking in one trip; only a call that finishes nothing waits for work. */
  private async turn(free: number): Promise<void> {
    const { queue, name: worker, leaseMs, newId, concurrency: slots, version, process } = this.parts
    // Nor does one that follows a failure: its answer shows that the queue can be reached.
    const mayWait = this.settlements.ready === 0 && !this.isUnsure && this.pause.outageMs === null
    const waitMs = mayWait ? this.types.waitMs(this.parts.waitMs) : 0
    // The same id again after a call without an answer: what it took is still ours.
    this.requestId ??= free > 0 ? newId() : null
    const requestId = this.requestId ?? ''
    const about = { slots, version, process }
    const claim = { types: this.types.next(), limit: free, leaseMs, waitMs, requestId, about }
    // Nobody hangs up on a call that does not wait: its answer may hold jobs, and would be lost with them.
    const waiting = free > 0 && waitMs > 0 ? new AbortController() : null
    this.waiting = waiting
    let sentAt = this.parts.clock.monotonic()
    try {
      const { settled, jobs, timing } = await this.settlements.deliver((settle) => {
        sentAt = this.parts.clock.monotonic()
        return this.calls.run((signal) => {
          const either = waiting ? AbortSignal.any([signal, waiting.signal]) : signal
          return queue.exchange({ worker, settle, ...(free > 0 ? { claim } : {}) }, { signal: either })
        })
      })
      this.requestId = null
      this.isUnsure = false
      // Perhaps another database than the one that the job came from.
      if (settled.some((one) => !one.ok && one.error.code === 'NOT_FOUND')) this.isPrepared = false
      // All of them first: a handler may hold this thread from its first line on.
      const untimed = waiting ? this.parts.clock.monotonic() : sentAt
      const leased = jobs.map((job) => ({ job, since: timing ? leaseStart(job, sentAt, timing) : untimed }))
      for (const { job, since } of leased) {
        if (job.crashes === 0) this.heartbeats.hold({ id: job.id, version: job.version }, since, job.timeoutMs)
      }
      this.running.stopSuperseded(jobs)
      for (const { job, since } of leased) {
        if (job.crashes === 0) this.start(job, since)
        else await this.startConfirmed(job)
      }
      const refusal = this.settlements.takeRefusal()
      if (refusal) await this.unreachable(refusal)
      else this.reached()
    } catch (error) {
      if (waiting?.signal.aborted) this.isUnsure = true
      else await this.unreachable(error)
    } finally {
      this.waiting = null
    }
  }

  /**
   * A job with crashes came alone, and is started only when the queue knows that it has arrived: if this process ends from here
   * on, the crash is the job's own. What cannot be confirmed before the lease ends is given back.
   */
  private async startConfirmed(job: ClaimedJob): Promise<void> {
    const { queue, name: worker, leaseMs, clock } = this.parts
    const lease = { id: job.id, version: job.version }
    const confirmed = await confirmLease({
      ...{ leaseMs, clock },
      heartbeat: () => this.calls.run((signal) => queue.heartbeat({ worker, leaseMs, leases: [lease] }, { signal })),
      onError: (error) => this.unreachable(error),
      giveUp: this.giveUp.signal,
    })
    if (confirmed === 'lost') return
    if (confirmed === 'unconfirmed') return this.release(job)
    this.heartbeats.hold(lease, confirmed.sentAt, job.timeoutMs)
    this.start(job, confirmed.sentAt)
  }

  private start(job: ClaimedJob, since: number): void {
    const { clock, handlers, leaseMs, isLocal } = this.parts
    const handler = handlers.get(job.type)
    // The response was on its way for so long that the lease may have ended.
    const isTooLate = !isLocal && since + abortAfterMs(leaseMs) <= clock.monotonic()
    if (!handler || isTooLate || this.taking.signal.aborted || this.isHeld) {
      this.release(job)
      return
    }
    const onError = (error: unknown) => this.events.tell({ kind: 'trouble', error })
    this.events.tell({ kind: 'claimed', id: job.id, type: job.type, attempt: job.attempts })
    const run = new RunningJob(job, { queue: this.reports, clock, since, handler, onError })
    this.running.add(run)
    this.cancelWatch.started()
    void run.ending.then((settle) => this.decided(run, settle))
    void run.over.then(() => {
      this.running.returned(run)
      this.changed()
    })
  }

  private release(job: ClaimedJob): void {
    const lease = { id: job.id, version: job.version }
    this.settlements.add({ run: { job, lease }, settle: { ...lease, kind: 'release' }, runMs: 0 })
  }

  private decided(run: RunningJob, settle: Awaited<RunningJob['ending']>): void {
    this.running.decided(run)
    const runMs = this.parts.clock.monotonic() - run.startedAt
    if (settle) this.settlements.add({ run, settle, runMs })
    else {
      this.heartbeats.drop(run.lease)
      const { id, type, attempts: attempt } = run.job
      this.events.tell({ kind: 'skipped', id, type, attempt, reason: 'its lease was lost' })
    }
    this.changed()
  }

  /** While the loop waits for work, what is finished must not wait with it. */
  private changed(): void {
    this.wake()
    if (this.waiting && this.settlements.ready > 0) void this.settleAside()
  }

  private async settleAside(): Promise<void> {
    const { queue, name: worker } = this.parts
    await new Promise(setImmediate)
    try {
      // All of it, in as many calls as that takes: nobody else looks before there is work again.
      while (this.settlements.ready > 0) {
        await this.settlements.deliver((settle) =>
          this.calls.run((signal) => queue.exchange({ worker, settle }, { signal })),
        )
        const refusal = this.settlements.takeRefusal()
        if (refusal) throw refusal
      }
    } catch (error) {
      this.events.tell({ kind: 'trouble', error })
    }
    this.wake()
  }

  private felt(pulse: Pulse): void {
    this.running.stopReported(pulse, ({ id, type, attempts: attempt }) =>
      this.events.tell({ kind: 'aborted', id, type, attempt }),
    )
    if (pulse.isRecovery) this.reconnect()
    if (!pulse.draining || this.taking.signal.aborted) return
    this.events.tell({ kind: 'draining' })
    void this.stop({ graceMs: Number.POSITIVE_INFINITY })
  }

  /** The queue can be reached again: calls from before may never be answered, and a pause would only delay the next one. */
  private reconnect(): void {
    this.isPrepared = false
    this.calls.abandon()
    this.pause.cut()
  }

  private reached(): void {
    const { outageMs } = this.pause
    this.pause.answered()
    if (outageMs !== null) this.events.tell({ kind: 'recovered', outageMs })
  }

  private async unreachable(error: unknown): Promise<void> {
    this.isPrepared = false
    if (this.pause.outageMs === null) this.events.tell({ kind: 'unreachable', error })
    // What the queue refuses it would refuse again: a wrong name or token is for the operator to mend.
    if (error instanceof QueueError && (error.code === 'BAD_INPUT' || error.code === 'FORBIDDEN')) {
      this.requestId = null
      this.isUnsure = false
    }
    await this.pause.wait(this.giveUp.signal)
  }
}

/** Rejects at the abort also where the call does not listen to its signal. */
async function untilAborted(
  call: (context: { readonly signal: AbortSignal }) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
  })
  try {
    await Promise.race([call({ signal }), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
