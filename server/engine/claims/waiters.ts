/** Claims that wait for work: first come, first served, woken by whatever makes a job claimable. */
import type { Kind } from '../../../shared/status.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { ClaimedRow, ClaimOutcome, OpOf, Outcome } from '../../store/ops.ts'
import type { Ready } from '../../store/store.ts'
import type { StoreTime } from '../commit/store-time.ts'
import type { Entry } from '../commit/write-queue.ts'
import { MAX_HOP_MS } from '../services/due-timer.ts'

type ClaimOp = OpOf<'claim'>

/** How often a claim that left jobs with crashes looks again. */
const PASSED_OVER_MS = 1_000

interface Waiter {
  readonly order: number
  readonly op: ClaimOp
  readonly resolve: (jobs: readonly ClaimedRow[]) => void
  readonly reject: (error: Error) => void
  /** What it was last woken for; when it finds nothing, the next in line is asked. */
  wokenFor: ReadonlyMap<string, Ready>
  asking: boolean
  /** It left jobs with crashes for others, or until its worker runs nothing else. */
  passedOver: boolean
  gone: boolean
  stop: () => void
}

export interface WaitersHooks {
  readonly submit: (entry: Entry) => void
  /** Jobs that were claimed for someone who is no longer there. */
  readonly giveBack: (op: ClaimOp, jobs: readonly ClaimedRow[]) => void
  /** The first waiter came, or the last one left. */
  readonly occupied: () => void
}

export class Waiters {
  private readonly clock: Clock
  private readonly time: StoreTime
  private readonly hooks: WaitersHooks
  /** In order of arrival. */
  private readonly waiting = new Map<number, Waiter>()
  /** Why and when the line is to be looked at again. */
  private readonly later = new Map<string, { readonly at: number; readonly timer: Timer }>()
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

  /** Resolves with jobs, or empty after `waitMs`, on `signal`, on `close`, or when its request id is asked for again. */
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
        asking: false,
        passedOver: params.passedOver ?? false,
        gone: false,
        stop: () => {
          deadline.cancel()
          signal?.removeEventListener('abort', leave)
        },
      }
      this.waiting.set(order, waiter)
      if (this.waiting.size === 1) this.hooks.occupied()
      this.askAgainAt(op, nextEligibleAt)
      if (waiter.passedOver) this.askAgainSoon(waiter)
    })
  }

  /** Those whose job this very commit will make ready: they join it, and one fsync serves both sides. */
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
    return ready.size === 0 ? [] : this.choose(ready).map((waiter) => this.ask(waiter))
  }

  wake(ready: ReadonlyMap<string, Ready>): void {
    if (this.waiting.size === 0 || ready.size === 0) return
    for (const waiter of this.choose(ready)) this.hooks.submit(this.ask(waiter))
    for (const [type, { kind, nextAt }] of ready) if (nextAt !== undefined) this.wakeLater(type, kind, nextAt)
  }

  /**
   * Jobs have been settled: a process that ran something may run nothing now, and take a job with crashes. `holders`: the workers
   * that had the jobs and their processes; null: not known, so that everyone looks. Nothing changes for the others.
   */
  settled(holders: ReadonlySet<string> | null): void {
    for (const waiter of this.waiting.values()) {
      if (!waiter.passedOver || waiter.asking) continue
      const { worker, process = worker } = waiter.op
      if (holders === null || holders.has(worker) || holders.has(process)) this.hooks.submit(this.ask(waiter))
    }
  }

  /** Everyone goes home empty-handed, and nobody else may wait. */
  close(): void {
    this.closed = true
    for (const waiter of [...this.waiting.values()]) this.leave(waiter)
  }

  /** As many of the longest waiting as there are jobs for. */
  private choose(ready: ReadonlyMap<string, Ready>): Waiter[] {
    const left = new Map<string, number>()
    for (const [type, { count }] of ready) if (count > 0) left.set(type, count)
    const chosen: Waiter[] = []
    for (const waiter of this.waiting.values()) {
      if (left.size === 0) break
      if (waiter.asking) continue
      const types = [...left.keys()].filter((type) => wants(waiter.op, type, ready.get(type)))
      if (types.length === 0) continue
      waiter.wokenFor = new Map([...ready].filter(([type]) => types.includes(type)))
      chosen.push(waiter)
      consume(left, types, waiter.op.limit)
    }
    return chosen
  }

  private ask(waiter: Waiter): Entry {
    waiter.asking = true
    return {
      ops: [waiter.op],
      resolve: (outcomes, from) => this.answered(waiter, outcomes[from]),
      reject: (error) => {
        this.forget(waiter)
        waiter.reject(error)
      },
    }
  }

  private answered(waiter: Waiter, outcome: Outcome | undefined): void {
    waiter.asking = false
    if (!outcome?.ok) {
      this.forget(waiter)
      waiter.reject(outcome ? outcome.error : new Error('A claim got no outcome.'))
      return
    }
    const { jobs, nextEligibleAt, draining, passedOver = false } = outcome.value as ClaimOutcome
    waiter.passedOver = passedOver
    if (jobs.length > 0) {
      if (waiter.gone) {
        this.hooks.giveBack(waiter.op, jobs)
        return
      }
      this.forget(waiter)
      waiter.resolve(jobs)
      return
    }
    if (draining || passedOver) this.passOn(waiter)
    if (waiter.gone) return
    this.askAgainAt(waiter.op, nextEligibleAt)
    if (passedOver) this.askAgainSoon(waiter)
  }

  /** It must not use what it was woken for: the next one may. Whoever else finds nothing came too late, as would the next. */
  private passOn(waiter: Waiter): void {
    for (const [type, ready] of waiter.wokenFor) {
      const next = this.firstIdle(type, ready, waiter.order + 1)
      if (!next) continue
      next.wokenFor = new Map([[type, ready]])
      this.hooks.submit(this.ask(next))
    }
    waiter.wokenFor = new Map()
  }

  private firstIdle(type: string, ready: Ready, fromOrder: number): Waiter | undefined {
    for (const waiter of this.waiting.values()) {
      if (waiter.order >= fromOrder && !waiter.asking && wants(waiter.op, type, ready)) return waiter
    }
    return undefined
  }

  /** A rate limit holds a job back: when the next token is there, the line is asked for one. */
  private wakeLater(type: string, kind: Kind, at: number): void {
    this.plan(`token ${type}`, at, () => this.wake(new Map([[type, { kind, count: 1 }]])))
  }

  /** Of all who ask for the same types, the first in line asks again for the others: one timer, one claim. */
  private askAgainAt(op: ClaimOp, at: number | null): void {
    if (at === null) return
    const scope = scopeOf(op)
    this.plan(`types ${scope}`, at, () => {
      for (const waiter of this.waiting.values()) {
        if (waiter.asking || scopeOf(waiter.op) !== scope) continue
        this.hooks.submit(this.ask(waiter))
        return
      }
    })
  }

  /** Whatever else may change for it, such as a settle on another node. */
  private askAgainSoon(waiter: Waiter): void {
    this.plan(`waiter ${waiter.order}`, this.time.now() + PASSED_OVER_MS, () => {
      if (waiter.passedOver && !waiter.asking && !waiter.gone) this.hooks.submit(this.ask(waiter))
    })
  }

  /** One timer for each reason; the earliest instant asked for counts. */
  private plan(reason: string, at: number, run: () => void): void {
    const planned = this.later.get(reason)
    if (planned && planned.at <= at) return
    planned?.timer.cancel()
    const delayMs = Math.min(MAX_HOP_MS, Math.max(1, at - this.time.now()))
    const timer = this.clock.after(delayMs, () => {
      this.later.delete(reason)
      run()
    })
    this.later.set(reason, { at, timer })
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
    for (const { timer } of this.later.values()) timer.cancel()
    this.later.clear()
    this.hooks.occupied()
  }

  /**
   * A repeated request takes the place of the one whose response was lost: called before the repeat claims, whether or not it
   * will wait. Otherwise the first could still claim a job that no worker would ever receive.
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
    const there = left.get(type) ?? 0
    const taken = Math.min(there, wanted)
    if (taken === there) left.delete(type)
    else left.set(type, there - taken)
    wanted -= taken
    if (wanted === 0) return
  }
}
