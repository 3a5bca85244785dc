/** The worker runtime: takes as many jobs as there are free slots, runs them, and gives each outcome back with the next take. */
import { QueueError } from '../../shared/errors.ts'
import { limits, SECOND } from '../../shared/limits.ts'
import { refuseUnknownKeys } from '../../shared/unknown-keys.ts'
import type { Timer } from '../base/clock.ts'
import { OpenCalls } from './connection/open-calls.ts'
import { Preparation } from './connection/preparation.ts'
import { RetryPause } from './connection/retry-delay.ts'
import { WorkerEvents } from './events.ts'
import { CancelWatch } from './heartbeats/cancel-watch.ts'
import { EMPTY_PULSE, type Heartbeats, type Pulse } from './heartbeats/heartbeats.ts'
import { leaseStart } from './heartbeats/lease-deadlines.ts'
import { JobStarter } from './jobs/job-starter.ts'
import { RunningJobs } from './jobs/running-jobs.ts'
import { Settlements } from './jobs/settlements.ts'
import { TypeWindow } from './type-window.ts'
import { WakeUp } from './wake-up.ts'
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
  private readonly starter: JobStarter
  private readonly preparation: Preparation
  private readonly pause: RetryPause
  private readonly types: TypeWindow
  private readonly calls = new OpenCalls()
  private readonly cancelWatch: CancelWatch
  /** Aborted when nothing more is to be taken. */
  private readonly taking = new AbortController()
  /** Aborted when nothing is waited for any more. */
  private readonly giveUp = new AbortController()
  private readonly ended: Promise<void>
  private readonly wakeUp = new WakeUp()
  /** Of the call that waits for work, while one does. */
  private waiting: AbortController | null = null
  /** A call was cut off: only asking again tells what it took. */
  private isUnsure = false
  /** Of the claim that has no response yet. */
  private requestId: string | null = null
  private isReady = false
  private isHeld = false
  private graces: Timer[] = []
  private isOver = false
  private stoppedAt = 0
  private stopping: Promise<void> | null = null

  constructor(parts: WorkerParts) {
    this.parts = parts
    this.pause = new RetryPause(parts.clock, parts.random)
    this.types = new TypeWindow(parts.handlers)
    this.preparation = new Preparation(parts.prepare, this.calls, this.taking.signal)
    this.cancelWatch = new CancelWatch({
      ...{ queue: parts.queue, worker: parts.name, clock: parts.clock },
      leases: (ranMs) => this.running.leasesSince(parts.clock.monotonic() - ranMs),
      onCancelled: (cancelled) => this.felt({ ...EMPTY_PULSE, cancelled }),
    })
    this.settlements = new Settlements(this.events, ({ lease }) => this.heartbeats.drop(lease))
    this.heartbeats = parts.heartbeats({
      onPulse: (pulse) => this.felt(pulse),
      onError: (error) => this.events.tell({ kind: 'trouble', error }),
    })
    this.starter = new JobStarter({
      ...parts,
      ...{ events: this.events, running: this.running, settlements: this.settlements, calls: this.calls },
      ...{ heartbeats: this.heartbeats, cancelWatch: this.cancelWatch, giveUp: this.giveUp.signal },
      mayStart: () => !this.taking.signal.aborted && !this.isHeld,
      unreachable: (error) => this.unreachable(error),
      changed: () => this.changed(),
    })
    void this.heartbeats.ready.then(() => {
      this.isReady = true
      this.wakeUp.now()
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
    this.wakeUp.now()
  }

  /** Call it after changing the Map of handlers: the worker then asks for the new types. */
  handlersChanged(): void {
    this.hangUp()
  }

  /**
   * Claims nothing more, lets handlers finish for `graceMs` (default 30 s), then aborts them and gives their jobs back;
   * resolves when the queue knows of all of it. Of several calls the shortest grace counts.
   */
  stop(options: { readonly graceMs?: number } = {}): Promise<void> {
    refuseUnknownKeys(options, ['graceMs'], 'stop')
    const { graceMs = GRACE_MS } = options
    if (Number.isNaN(graceMs)) throw new QueueError('BAD_INPUT', 'graceMs must be a number of milliseconds, not NaN.')
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
    this.starter.stop()
    for (const grace of this.graces) grace.cancel()
    await this.heartbeats.stop()
    this.events.tell({ kind: 'stopped' })
  }

  /** Also a claim that failed may have taken jobs: only its repeat shows. */
  private hangUp(): void {
    if (this.requestId !== null) this.isUnsure = true
    this.waiting?.abort()
    this.wakeUp.now()
  }

  private releaseAll(): void {
    this.running.shutDown()
    this.giveUp.abort()
    this.wakeUp.now()
  }

  private async loop(): Promise<void> {
    while (!this.isDone()) {
      const wanted = this.freeSlots()
      const free = wanted > 0 && (await this.prepared()) ? wanted : 0
      if (free === 0 && this.settlements.ready === 0) {
        // A failed preparation has already paused, and is tried again.
        if (wanted > 0) continue
        await this.wakeUp.next()
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

  private async prepared(): Promise<boolean> {
    try {
      return await this.preparation.run()
    } catch (error) {
      await this.unreachable(error)
      return false
    }
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
      if (settled.some((one) => !one.ok && one.error.code === 'NOT_FOUND')) this.preparation.forget()
      const untimed = waiting ? this.parts.clock.monotonic() : sentAt
      await this.starter.startAll(
        jobs.map((job) => ({ job, since: timing ? leaseStart(job, sentAt, timing) : untimed })),
      )
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

  /** While the loop waits for work, what is finished must not wait with it. */
  private changed(): void {
    this.wakeUp.now()
    if (this.waiting && this.settlements.ready > 0) void this.settleAside()
  }

  private async settleAside(): Promise<void> {
    const { queue, name: worker } = this.parts
    await new Promise(setImmediate)
    try {
      await this.settlements.deliverAll((settle) =>
        this.calls.run((signal) => queue.exchange({ worker, settle }, { signal })),
      )
    } catch (error) {
      this.events.tell({ kind: 'trouble', error })
    }
    this.wakeUp.now()
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
    this.preparation.forget()
    this.calls.abandon()
    this.pause.cut()
  }

  private reached(): void {
    const { outageMs } = this.pause
    this.pause.answered()
    if (outageMs !== null) this.events.tell({ kind: 'recovered', outageMs })
  }

  private async unreachable(error: unknown): Promise<void> {
    this.preparation.forget()
    if (this.pause.outageMs === null) this.events.tell({ kind: 'unreachable', error })
    // What the queue refuses it would refuse again: a wrong name or token is for the operator to mend.
    if (error instanceof QueueError && (error.code === 'BAD_INPUT' || error.code === 'FORBIDDEN')) {
      this.requestId = null
      this.isUnsure = false
    }
    await this.pause.wait(this.giveUp.signal)
  }
}
