/** Group commit: all writes that arrive in one turn of the event loop share one fsynced transaction. */
import { QueueError } from '../../shared/errors.ts'
import type { Clock } from '../clock.ts'
import type { Op, OpKind, OpOf, OpValue, Outcome } from '../store/ops.ts'
import { type Commit, type Store, StoreBusy, StoreFailed } from '../store/store.ts'
import { BatchBudget, weightOf } from './batch-budget.ts'

/** Operations of one caller: they travel in the same commit, and are told of it together. */
export interface Entry {
  readonly ops: readonly Op[]
  /** Refused at once when the database is out of reach: what it would do then, it must decide anew. */
  readonly impatient?: boolean
  /** Its outcomes begin at `from`. */
  readonly resolve: (outcomes: readonly Outcome[], from: number) => void
  readonly reject: (error: QueueError) => void
}

interface Queued {
  readonly entry: Entry
  readonly bytes: number
  readonly queuedAt: number
}

export interface GroupCommitHooks {
  /** Waiting claims that want to be part of the commit that makes their job ready. */
  join(arrived: readonly Entry[]): readonly Entry[]
  /** After COMMIT and before any caller is answered. */
  committed(commit: Commit): void
  /** The database was out of reach for this long and is back. */
  recovered(outageMs: number): void
  /** The store can no longer be trusted; nothing will be written any more. */
  failed(error: Error): void
}

export interface GroupCommitLimits {
  readonly queuedOps: number
  readonly queuedBytes: number
  /** How long a batch waits for a database that others hold. */
  readonly busyMs: number
}

export const DEFAULT_LIMITS: GroupCommitLimits = { queuedOps: 10_000, queuedBytes: 64 * 1024 * 1024, busyMs: 30_000 }

const FINISHES_WORK: ReadonlySet<OpKind> = new Set<OpKind>(['complete', 'fail', 'release', 'heartbeat'])
const FIRST_RETRY_MS = 2
const MAX_RETRY_MS = 50

export class GroupCommit {
  private readonly store: Store
  private readonly clock: Clock
  private readonly hooks: GroupCommitHooks
  private readonly limits: GroupCommitLimits
  private readonly budget = new BatchBudget()
  private queue: Queued[] = []
  private queuedOps = 0
  private queuedBytes = 0
  private scheduled = false
  private busySince: number | null = null
  private retryMs = FIRST_RETRY_MS
  private failure: QueueError | null = null
  private closing = false
  private drained: (() => void)[] = []

  constructor(store: Store, clock: Clock, hooks: GroupCommitHooks, limits: Partial<GroupCommitLimits> = {}) {
    this.store = store
    this.clock = clock
    this.hooks = hooks
    this.limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /** One operation; its refusal is thrown. No async function here: every turn of a promise is paid by every job. */
  submit<K extends OpKind>(op: OpOf<K> & Op, impatient = false): Promise<OpValue<K>> {
    return new Promise((resolve, reject) => {
      const answer = (outcomes: readonly Outcome[], from: number) => {
        const outcome = outcomes[from]
        if (outcome?.ok) resolve(takeValue<K>(outcome))
        else reject(outcome ? outcome.error : noOutcome())
      }
      this.add({ ops: [op], resolve: answer, reject, impatient })
    })
  }

  /** Operations that share a commit; each has its own outcome. */
  submitAll(ops: readonly Op[]): Promise<readonly Outcome[]> {
    return new Promise((resolve, reject) => {
      this.add({ ops, resolve: (outcomes, from) => resolve(outcomes.slice(from, from + ops.length)), reject })
    })
  }

  /** Takes nothing new, finishes what is queued. */
  close(): Promise<void> {
    this.closing = true
    return new Promise((resolve) => {
      this.drained.push(resolve)
      this.settleDrain()
    })
  }

  get backlog(): number {
    return this.queuedOps
  }

  /** Queues an entry for the next commit, or refuses it at once. `lastWords` are taken even while closing. */
  add(entry: Entry, lastWords = false): void {
    let bytes = 0
    for (const op of entry.ops) bytes += bytesOf(op)
    const refusal =
      this.failure ??
      (this.closing && !lastWords ? closed() : null) ??
      (entry.impatient && this.busySince !== null ? outOfReach() : this.pushBack(entry.ops, bytes))
    if (refusal) {
      entry.reject(refusal)
      return
    }
    this.queue.push({ entry, bytes, queuedAt: this.clock.monotonic() })
    this.queuedOps += entry.ops.length
    this.queuedBytes += bytes
    this.schedule()
  }

  /** Producers and idle workers are held back first: finishing work is what shortens the queue. */
  private pushBack(ops: readonly Op[], bytes: number): QueueError | null {
    if (bytes > this.limits.queuedBytes) {
      const most = this.limits.queuedBytes
      return new QueueError('TOO_LARGE', `This write is ${bytes} bytes, more than ${most}; split it.`, { bytes, most })
    }
    const share = ops.some((op) => FINISHES_WORK.has(op.kind)) ? 2 : 1
    const fits =
      this.queuedOps + ops.length <= this.limits.queuedOps * share &&
      this.queuedBytes + bytes <= this.limits.queuedBytes * share
    if (fits) return null
    return new QueueError(
      'BUSY',
      `${this.queuedOps} writes are waiting already; nothing was stored, try again in a moment.`,
    )
  }

  private schedule(): void {
    // While the database is out of reach the retry timer sets the pace, however many callers come.
    if (this.scheduled || this.busySince !== null) return
    this.scheduled = true
    setImmediate(() => void this.turn())
  }

  private async turn(): Promise<void> {
    try {
      const batch = this.take()
      if (batch.length > 0) await this.write(batch)
      else this.busySince = null
    } finally {
      this.scheduled = false
      if (this.queue.length > 0) this.schedule()
      this.settleDrain()
    }
  }

  private take(): Queued[] {
    const batch: Queued[] = []
    let ops = 0
    let bytes = 0
    let weight = 0
    for (const queued of this.queue) {
      ops += queued.entry.ops.length
      bytes += queued.bytes
      for (const op of queued.entry.ops) weight += weightOf(op)
      if (batch.length > 0 && !this.budget.fits(ops, bytes, weight)) break
      batch.push(queued)
    }
    this.queue.splice(0, batch.length)
    this.count(batch, -1)
    return batch
  }

  private async write(batch: readonly Queued[]): Promise<void> {
    const arrived = batch.map(({ entry }) => entry)
    const joined = this.hooks.join(arrived)
    // Those who have waited come before those who just arrived; phases decide the rest.
    const entries = joined.length === 0 ? arrived : [...joined, ...arrived]
    const ops: Op[] = []
    for (const entry of entries) ops.push(...entry.ops)
    const startedAt = this.clock.monotonic()
    let commit: Commit
    try {
      commit = await this.store.commit(ops)
    } catch (error) {
      for (const entry of joined) entry.resolve([NOTHING_CLAIMED], 0)
      this.notWritten(batch, error)
      return
    }
    this.budget.observe(ops, this.clock.monotonic() - startedAt)
    this.endOutage()
    this.hooks.committed(commit)
    let from = 0
    for (const entry of entries) {
      entry.resolve(commit.outcomes, from)
      from += entry.ops.length
    }
  }

  private notWritten(batch: readonly Queued[], error: unknown): void {
    if (error instanceof StoreBusy) {
      this.keep(batch)
      return
    }
    const reason = error instanceof Error ? error.message : String(error)
    const refusal = new QueueError('STORE_FAILED', reason)
    for (const { entry } of batch) entry.reject(refusal)
    // It answered, if badly: no retry timer is armed, so nothing may wait for one.
    this.busySince = null
    this.retryMs = FIRST_RETRY_MS
    if (!(error instanceof StoreFailed)) return
    this.failure = refusal
    for (const { entry } of this.queue.splice(0)) entry.reject(refusal)
    this.queuedOps = 0
    this.queuedBytes = 0
    this.hooks.failed(error)
  }

  /** Nothing happened: the batch goes back to the front and a timer tries again. */
  private keep(batch: readonly Queued[]): void {
    const now = this.clock.monotonic()
    this.busySince ??= now
    const busy = outOfReach()
    const waits = ({ entry, queuedAt }: Queued) => !entry.impatient && now - queuedAt < this.limits.busyMs
    const kept = batch.filter(waits)
    for (const queued of batch) if (!waits(queued)) queued.entry.reject(busy)
    this.queue.unshift(...kept)
    this.count(kept, 1)
    this.clock.after(this.retryMs, () => this.retry(), true)
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2)
  }

  private count(batch: readonly Queued[], sign: 1 | -1): void {
    for (const { entry, bytes } of batch) {
      this.queuedOps += sign * entry.ops.length
      this.queuedBytes += sign * bytes
    }
  }

  private retry(): void {
    if (this.scheduled) return
    this.scheduled = true
    void this.turn()
  }

  private endOutage(): void {
    if (this.busySince === null) return
    const outageMs = this.clock.monotonic() - this.busySince
    this.busySince = null
    this.retryMs = FIRST_RETRY_MS
    this.hooks.recovered(outageMs)
  }

  private settleDrain(): void {
    if (this.scheduled || this.queue.length > 0) return
    for (const resolve of this.drained.splice(0)) resolve()
  }
}

export function noOutcome(): QueueError {
  return new QueueError('STORE_FAILED', 'The store gave no outcome for an operation.')
}

function outOfReach(): QueueError {
  return new QueueError('BUSY', 'Another process holds the database; nothing was stored, try again in a moment.')
}

function closed(): QueueError {
  return new QueueError('CLOSED', 'The queue is shutting down; send this to another node or try again soon.')
}

const NOTHING_CLAIMED: Outcome = { ok: true, value: { jobs: [], nextEligibleAt: null } }

/** Outcome i belongs to operation i: the one place where the pairing, kept by the store, becomes a type. */
export function takeValue<K extends OpKind>(outcome: Outcome | undefined): OpValue<K> {
  if (!outcome) throw noOutcome()
  if (!outcome.ok) throw outcome.error
  return outcome.value as OpValue<K>
}

function bytesOf(op: Op): number {
  switch (op.kind) {
    case 'enqueue':
      return op.jobs.reduce((sum, job) => sum + job.payload.length + 200, 0)
    case 'complete':
      return 100 + (op.result?.length ?? 0)
    case 'log':
      return op.lines.reduce((sum, { line }) => sum + line.length + 50, 0)
    default:
      return 100
  }
}
