/** Long-polling claims: a FIFO of claims that wait, woken when a job becomes claimable. */
import type { Kind } from '../../../shared/status.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { ClaimedRow, ClaimOutcome, OpOf, Outcome } from '../../store/ops.ts'
import type { Ready } from '../../store/store.ts'
import type { StoreTime } from '../commit/store-time.ts'
import type { Entry } from '../commit/write-queue.ts'
import { MAX_HOP_MS } from '../services/due-timer.ts'

type ClaimOp = OpOf<'claim'>

/** Retry interval of a claim that skipped jobs with crashes. */
const SKIPPED_RETRY_MS = 1_000

interface Waiter {
  readonly order: number
  readonly op: ClaimOp
  readonly resolve: (jobs: readonly ClaimedRow[]) => void
  readonly reject: (error: Error) => void
  /** The ready types it was last woken for. If it may not take them, the next waiter is woken for them. */
  wokenFor: ReadonlyMap<string, Ready>
  /** Its claim is part of a pending commit. */
  claiming: boolean
  /** It skipped jobs with crashes, which run only on an idle worker process. */
  passedOver: boolean
  gone: boolean
  stop: () => void
}

export interface WaitersHooks {
  readonly submit: (entry: Entry) => void
  /** Releases jobs that were claimed for a caller that is gone. */
  readonly releaseUndelivered: (op: ClaimOp, jobs: readonly ClaimedRow[]) => void
  /** Called when the first waiter arrives and when the last one leaves. */
  readonly onOccupancyChanged: () => void
}

export class Waiters {
  private readonly clock: Clock
  private readonly time: StoreTime
  private readonly hooks: WaitersHooks
  /** In order of arrival. */
  private readonly waiting = new Map<number, Waiter>()
  /** Planned retries by reason. */
  private readonly retries = new Map<string, { readonly at: number; readonly timer: Timer }>()
  private nextOrder = 0
  private closed = false

  constructor(clock: Clock, time: StoreTime, hooks: WaitersHooks) {
    this.clock = clock
    this.time = time
    this.hooks = hooks
  }

  get size(): number {
    return this.waiting.size
  }

  /** Resolves with jobs, or empty after `waitMs`, on `signal`, on `close`, or when a repeat of its request arrives. */
  wait(
    op: ClaimOp,
    params: {
      readonly waitMs: number
      readonly signal: AbortSignal | undefined
      readonly nextEligibleAt: number | null
      readonly passedOver?: true | undefined
    },
  ): Promise<readonly ClaimedRow[]> {
    const { waitMs, signal, nextEligibleAt } = params
    if (signal?.aborted || this.closed) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      const order = this.nextOrder++
      const leave = () => this.leave(waiter)
      const deadline = this.clock.after(waitMs, leave, true)
      signal?.addEventListener('abort', leave, { once: true })
      const waiter: Waiter = {
        order,
        op,
        resolve,
        reject,
        wokenFor: new Map(),
        claiming: false,
        passedOver: params.passedOver ?? false,
        gone: false,
        stop: () => {
          deadline.cancel()
          signal?.removeEventListener('abort', leave)
        },
      }
      this.waiting.set(order, waiter)
      if (this.waiting.size === 1) this.hooks.onOccupancyChanged()
      this.retryAt(op, nextEligibleAt)
      if (waiter.passedOver) this.retrySoon(waiter)
    })
  }

  /** Claims for jobs that the arriving writes enqueue. They join the same commit, so one fsync covers enqueue and claim. */
  join(arrived: readonly Entry[]): readonly Entry[] {
    if (this.waiting.size === 0) return []
    const ready = new Map<string, Ready>()
    for (const op of arrived.flatMap(({ ops }) => ops)) {
      if (op.kind !== 'enqueue') continue
      for (const job of op.jobs) {
        if (job.delayMs !== null || job.runAt !== null) continue
        ready.set(job.type, { kind: job.kind, count: (ready.get(job.type)?.count ?? 0) + 1 })
      }
    }
    return ready.size === 0 ? [] : this.choose(ready).map((waiter) => this.claim(waiter))
  }

  wake(ready: ReadonlyMap<string, Ready>): void {
    if (this.waiting.size === 0 || ready.size === 0) return
    for (const waiter of this.choose(ready)) this.hooks.submit(this.claim(waiter))
    for (const [type, { kind, nextAt }] of ready) if (nextAt !== undefined) this.wakeLater(type, kind, nextAt)
  }

  /**
   * Call when jobs have been settled: their worker process may be idle now, and may then take a job with crashes. `holders` are the
   * workers that held the jobs, and their processes; null: not known, so every waiter that skipped jobs retries.
   */
  settled(holders: ReadonlySet<string> | null): void {
    for (const waiter of this.waiting.values()) {
      if (!waiter.passedOver || waiter.claiming) continue
      const { worker, process = worker } = waiter.op
      if (holders === null || holders.has(worker) || holders.has(process)) this.hooks.submit(this.claim(waiter))
    }
  }

  /** Resolves every waiter with no jobs; later claims do not wait. */
  close(): void {
    this.closed = true
    for (const waiter of [...this.waiting.values()]) this.leave(waiter)
  }

  /** Waiters in order of arrival, as many as there are ready jobs for. */
  private choose(ready: ReadonlyMap<string, Ready>): Waiter[] {
    const left = new Map<string, number>()
    for (const [type, { count }] of ready) if (count > 0) left.set(type, count)
    const chosen: Waiter[] = []
    for (const waiter of this.waiting.values()) {
      if (left.size === 0) break
      if (waiter.claiming) continue
      const types = [...left.keys()].filter((type) => wants(waiter.op, type, ready.get(type)))
      if (types.length === 0) continue
      waiter.wokenFor = new Map([...ready].filter(([type]) => types.includes(type)))
      chosen.push(waiter)
      consume(left, types, waiter.op.limit)
    }
    return chosen
  }

  private claim(waiter: Waiter): Entry {
    waiter.claiming = true
    return {
      ops: [waiter.op],
      resolve: (outcomes, from) => this.onOutcome(waiter, outcomes[from]),
      reject: (error) => {
        this.forget(waiter)
        waiter.reject(error)
      },
    }
  }

  private onOutcome(waiter: Waiter, outcome: Outcome | undefined): void {
    waiter.claiming = false
    if (!outcome?.ok) {
      this.forget(waiter)
      waiter.reject(outcome ? outcome.error : new Error('The store returned no outcome for a claim.'))
      return
    }
    const { jobs, nextEligibleAt, draining, passedOver = false } = outcome.value as ClaimOutcome
    waiter.passedOver = passedOver
    if (jobs.length > 0) {
      if (waiter.gone) {
        this.hooks.releaseUndelivered(waiter.op, jobs)
        return
      }
      this.forget(waiter)
      waiter.resolve(jobs)
      return
    }
    if (draining || passedOver) this.passOn(waiter)
    if (waiter.gone) return
    this.retryAt(waiter.op, nextEligibleAt)
    if (passedOver) this.retrySoon(waiter)
  }

  /** Wakes the next waiter for jobs that this one may not take. A waiter that found nothing lost a race, as the next one would. */
  private passOn(waiter: Waiter): void {
    for (const [type, ready] of waiter.wokenFor) {
      const next = this.firstIdle(type, ready, waiter.order + 1)
      if (!next) continue
      next.wokenFor = new Map([[type, ready]])
      this.hooks.submit(this.claim(next))
    }
    waiter.wokenFor = new Map()
  }

  private firstIdle(type: string, ready: Ready, fromOrder: number): Waiter | undefined {
    for (const waiter of this.waiting.values()) {
      if (waiter.order >= fromOrder && !waiter.claiming && wants(waiter.op, type, ready)) return waiter
    }
    return undefined
  }

  /** Wakes a waiter when the rate limit of a type has its next token. */
  private wakeLater(type: string, kind: Kind, at: number): void {
    this.plan(`token ${type}`, at, () => this.wake(new Map([[type, { kind, count: 1 }]])))
  }

  /** Waiters for the same types share one timer; the first of them retries its claim. */
  private retryAt(op: ClaimOp, at: number | null): void {
    if (at === null) return
    const scope = scopeOf(op)
    this.plan(`types ${scope}`, at, () => {
      for (const waiter of this.waiting.values()) {
        if (waiter.claiming || scopeOf(waiter.op) !== scope) continue
        this.hooks.submit(this.claim(waiter))
        return
      }
    })
  }

  /** Polls for changes that cause no event here, such as a settlement on another node. */
  private retrySoon(waiter: Waiter): void {
    this.plan(`waiter ${waiter.order}`, this.time.now() + SKIPPED_RETRY_MS, () => {
      if (waiter.passedOver && !waiter.claiming && !waiter.gone) this.hooks.submit(this.claim(waiter))
    })
  }

  /** One timer per reason; the earliest instant wins. */
  private plan(reason: string, at: number, run: () => void): void {
    const planned = this.retries.get(reason)
    if (planned && planned.at <= at) return
    planned?.timer.cancel()
    const delayMs = Math.min(MAX_HOP_MS, Math.max(1, at - this.time.now()))
    const timer = this.clock.after(delayMs, () => {
      this.retries.delete(reason)
      run()
    })
    this.retries.set(reason, { at, timer })
  }

  private leave(waiter: Waiter): void {
    if (waiter.gone) return
    this.forget(waiter)
    waiter.resolve([])
  }

  private forget(waiter: Waiter): void {
    waiter.gone = true
    waiter.stop()
    if (!this.waiting.delete(waiter.order) || this.waiting.size > 0) return
    for (const { timer } of this.retries.values()) timer.cancel()
    this.retries.clear()
    this.hooks.onOccupancyChanged()
  }

  /**
   * Ends the wait of the earlier request with the same id. Call it before a repeated request claims, whether or not the repeat
   * waits: otherwise the first request could claim a job that no worker receives.
   */
  replace(requestId: string | null): void {
    if (requestId === null) return
    for (const waiter of this.waiting.values()) if (waiter.op.requestId === requestId) this.leave(waiter)
  }
}

function scopeOf(op: ClaimOp): string {
  return `${op.kindOfType ?? ''} ${op.types === null ? '*' : JSON.stringify(op.types)}`
}

function wants(op: ClaimOp, type: string, ready: Ready | undefined): boolean {
  if (op.types === null) return ready?.kind === (op.kindOfType ?? 'job')
  return op.types.includes(type) && (op.kindOfType === undefined || ready?.kind === op.kindOfType)
}

function consume(left: Map<string, number>, types: readonly string[], limit: number): void {
  let wanted = limit
  for (const type of types) {
    const available = left.get(type) ?? 0
    const taken = Math.min(available, wanted)
    if (taken === available) left.delete(type)
    else left.set(type, available - taken)
    wanted -= taken
    if (wanted === 0) return
  }
}
