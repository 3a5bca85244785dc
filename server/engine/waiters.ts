/** Claims that wait for work: first come, first served, woken by whatever makes a job claimable. */
import type { Kind } from '../../shared/status.ts'
import type { Clock, Timer } from '../clock.ts'
import type { ClaimedRow, ClaimOutcome, OpOf, Outcome } from '../store/ops.ts'
import type { Ready } from '../store/store.ts'
import type { Entry } from './group-commit.ts'

/** No timer sleeps longer than this: a clock that jumps is noticed soon. */
const MAX_HOP_MS = 30_000

type ClaimOp = OpOf<'claim'>

interface Waiter {
  readonly order: number
  readonly op: ClaimOp
  readonly resolve: (jobs: readonly ClaimedRow[]) => void
  readonly reject: (error: Error) => void
  /** What it was last woken for; when it finds nothing, the next in line is asked. */
  wokenFor: ReadonlyMap<string, Ready>
  asking: boolean
  gone: boolean
  wakeTimer: Timer | null
  stop: () => void
}

export interface WaitersHooks {
  readonly submit: (entry: Entry) => void
  /** Jobs that were claimed for someone who is no longer there. */
  readonly giveBack: (jobs: readonly ClaimedRow[]) => void
  /** The first waiter came, or the last one left. */
  readonly occupied: (waiting: boolean) => void
}

export class Waiters {
  private readonly clock: Clock
  private readonly hooks: WaitersHooks
  /** In order of arrival. */
  private readonly waiting = new Map<number, Waiter>()
  /** When a token comes for a type that somebody waits for. */
  private readonly later = new Map<string, { readonly at: number; readonly timer: Timer }>()
  private nextOrder = 0
  private closed = false

  constructor(clock: Clock, hooks: WaitersHooks) {
    this.clock = clock
    this.hooks = hooks
  }

  get size(): number {
    return this.waiting.size
  }

  /** Resolves with jobs, or empty after `waitMs`, on `signal`, on `leaveAll`, or when its request id is asked for again. */
  wait(
    op: ClaimOp,
    params: {
      readonly waitMs: number
      readonly signal: AbortSignal | undefined
      readonly nextEligibleAt: number | null
      readonly now: number
    },
  ): Promise<readonly ClaimedRow[]> {
    const { waitMs, signal, nextEligibleAt, now } = params
    if (signal?.aborted || this.closed) return Promise.resolve([])
    this.replace(op.requestId)
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
        gone: false,
        wakeTimer: null,
        stop: () => {
          deadline.cancel()
          signal?.removeEventListener('abort', leave)
        },
      }
      this.waiting.set(order, waiter)
      if (this.waiting.size === 1) this.hooks.occupied(true)
      this.wakeAt(waiter, nextEligibleAt, now)
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
    waiter.wakeTimer?.cancel()
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
    const { jobs, nextEligibleAt } = outcome.value as ClaimOutcome
    if (jobs.length > 0) {
      if (waiter.gone) {
        this.hooks.giveBack(jobs)
        return
      }
      this.forget(waiter)
      waiter.resolve(jobs)
      return
    }
    this.passOn(waiter)
    if (!waiter.gone) this.wakeAt(waiter, nextEligibleAt, this.clock.now())
  }

  /** It could not use what it was woken for (draining, limits): the next one may. */
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
    const planned = this.later.get(type)
    if (planned && planned.at <= at) return
    planned?.timer.cancel()
    const delayMs = Math.min(MAX_HOP_MS, Math.max(1, at - this.clock.now()))
    const timer = this.clock.after(delayMs, () => {
      this.later.delete(type)
      this.wake(new Map([[type, { kind, count: 1 }]]))
    })
    this.later.set(type, { at, timer })
  }

  private wakeAt(waiter: Waiter, at: number | null, now: number): void {
    waiter.wakeTimer?.cancel()
    waiter.wakeTimer = null
    if (at === null) return
    const delayMs = Math.min(MAX_HOP_MS, Math.max(1, at - now))
    waiter.wakeTimer = this.clock.after(delayMs, () => {
      if (!waiter.asking && !waiter.gone) this.hooks.submit(this.ask(waiter))
    })
  }

  private leave(waiter: Waiter): void {
    if (waiter.gone) return
    this.forget(waiter)
    waiter.resolve([])
  }

  private forget(waiter: Waiter): void {
    waiter.gone = true
    waiter.stop()
    waiter.wakeTimer?.cancel()
    if (!this.waiting.delete(waiter.order) || this.waiting.size > 0) return
    for (const { timer } of this.later.values()) timer.cancel()
    this.later.clear()
    this.hooks.occupied(false)
  }

  /** A repeated request takes the place of the one whose answer was lost. */
  private replace(requestId: string | null): void {
    if (requestId === null) return
    for (const waiter of this.waiting.values()) if (waiter.op.requestId === requestId) this.leave(waiter)
  }
}

function wants(op: ClaimOp, type: string, ready: Ready | undefined): boolean {
  return op.types === null ? ready?.kind === 'job' : op.types.includes(type)
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
