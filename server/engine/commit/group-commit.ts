/** Group commit: batches all writes of one event-loop turn into one transaction with one fsync. */
import { QueueError } from '../../../shared/errors.ts'
import type { Clock } from '../../base/clock.ts'
import type { DirectStore } from '../../store/direct-store.ts'
import type { Op, OpKind, OpOf, OpValue, Outcome } from '../../store/ops.ts'
import { type Commit, CommitOutcomeUnknown, type Store, StoreBusy, StoreFailed } from '../../store/store.ts'
import { releases } from '../waiting/claim-requests.ts'
import { BatchBudget } from './batch-budget.ts'
import { closed, outcomeUnknown, storeUnavailable } from './write-errors.ts'
import { type Entry, type Queued, type QueueLimits, WriteQueue } from './write-queue.ts'

/** The writes of one commit. */
interface Batch {
  readonly queued: readonly Queued[]
  /** Waiting claims that joined. They come before new claims; the phases of a commit order the other operations. */
  readonly joined: readonly Entry[]
  readonly ops: readonly Op[]
  /** Entries that were rejected because the outcome is unknown. */
  readonly rejectedUnknown: Set<Entry>
}

export interface GroupCommitHooks {
  /** Returns waiting claims that join the commit which enqueues their job. */
  join(arrived: readonly Entry[]): readonly Entry[]
  /** Called after COMMIT and before any caller's promise resolves. */
  committed(commit: Commit, operations: number, elapsedMs: number): void
  /** Called when the database is available again after an outage. */
  recovered(outageMs: number): void
  /** Called when the store has failed permanently; no further writes are made. */
  failed(error: Error): void
}

export interface GroupCommitLimits extends QueueLimits {
  /** How long a write is retried while the database is locked or unreachable. */
  readonly busyMs: number
}

export const DEFAULT_LIMITS: GroupCommitLimits = { queuedOps: 10_000, queuedBytes: 64 * 1024 * 1024, busyMs: 30_000 }

const FIRST_RETRY_MS = 2
const MAX_RETRY_MS = 50

export class GroupCommit {
  private readonly store: Store
  private readonly clock: Clock
  private readonly hooks: GroupCommitHooks
  private readonly limits: GroupCommitLimits
  private readonly budget = new BatchBudget()
  private readonly queue: WriteQueue
  private scheduled = false
  private busySince: number | null = null
  /** The reason of the last outage. */
  private busyReason = ''
  /** A batch whose commit may or may not have happened. It is repeated unchanged before any other write. */
  private unknown: Batch | null = null
  private retryMs = FIRST_RETRY_MS
  private failed: QueueError | null = null
  private closing = false
  private drained: (() => void)[] = []

  constructor(store: Store, clock: Clock, hooks: GroupCommitHooks, limits: Partial<GroupCommitLimits> = {}) {
    this.store = store
    this.clock = clock
    this.hooks = hooks
    this.limits = { ...DEFAULT_LIMITS, ...limits }
    this.queue = new WriteQueue(this.limits)
  }

  /** Submits one operation; rejects with its error. Not async: each extra microtask would delay every job. */
  submit<K extends OpKind>(op: OpOf<K> & Op, failFast = false): Promise<OpValue<K>> {
    return new Promise((resolve, reject) => {
      const onOutcomes = (outcomes: readonly Outcome[], from: number) => {
        const outcome = outcomes[from]
        if (outcome?.ok) resolve(takeValue<K>(outcome))
        else reject(outcome ? outcome.error : noOutcome())
      }
      this.add({ ops: [op], resolve: onOutcomes, reject, failFast })
    })
  }

  /** Submits operations that share a commit; each has its own outcome. */
  submitAll(ops: readonly Op[]): Promise<readonly Outcome[]> {
    return new Promise((resolve, reject) => {
      this.add({ ops, resolve: (outcomes, from) => resolve(outcomes.slice(from, from + ops.length)), reject })
    })
  }

  /** Commits synchronously, ahead of queued writes. `store` must be the store of this engine. */
  writeNow(store: Pick<DirectStore, 'commitNow'>, ops: readonly Op[]): readonly Outcome[] {
    if (this.failed) throw this.failed
    const startedAt = this.clock.monotonic()
    let commit: Commit
    try {
      commit = store.commitNow(ops)
    } catch (error) {
      if (error instanceof StoreBusy) throw storeUnavailable(error.message)
      throw error instanceof StoreFailed ? this.fail(error) : error
    }
    this.hooks.committed(commit, ops.length, this.clock.monotonic() - startedAt)
    return commit.outcomes
  }

  /** Rejects new writes and resolves when all queued writes are done. */
  close(): Promise<void> {
    this.closing = true
    return new Promise((resolve) => {
      this.drained.push(resolve)
      this.settleDrain()
    })
  }

  /** The permanent failure of the store; null while it works. */
  get failure(): QueueError | null {
    return this.failed
  }

  get backlog(): number {
    return this.queue.size
  }

  /** Queues an entry for the next commit, or rejects it at once. `acceptWhileClosing` is for releases after `close`. */
  add(entry: Entry, acceptWhileClosing = false): void {
    const rejection =
      this.failed ??
      (this.closing && !acceptWhileClosing ? closed() : null) ??
      (entry.failFast && this.busySince !== null ? storeUnavailable(this.busyReason) : null) ??
      this.queue.put(entry, this.clock.monotonic())
    if (rejection) entry.reject(rejection)
    else this.schedule()
  }

  private schedule(): void {
    // During an outage only the retry timer starts a turn, however many callers arrive.
    if (this.scheduled || this.busySince !== null) return
    this.scheduled = true
    setImmediate(() => void this.turn())
  }

  private async turn(): Promise<void> {
    try {
      const batch = this.unknown ?? this.gather()
      if (batch) await this.write(batch)
      else this.busySince = null
    } finally {
      this.scheduled = false
      if (!this.queue.isEmpty) this.schedule()
      this.settleDrain()
    }
  }

  private gather(): Batch | null {
    const queued = this.queue.take(this.budget)
    if (queued.length === 0) return null
    const joined = this.hooks.join(queued.map(({ entry }) => entry))
    const ops: Op[] = []
    for (const entry of joined) ops.push(...entry.ops)
    for (const { entry } of queued) ops.push(...entry.ops)
    return { queued, joined, ops, rejectedUnknown: new Set() }
  }

  private async write(batch: Batch): Promise<void> {
    const { ops, joined, queued, rejectedUnknown } = batch
    const startedAt = this.clock.monotonic()
    let commit: Commit
    try {
      commit = await this.store.commit(ops)
    } catch (error) {
      this.onCommitError(batch, error)
      return
    }
    this.unknown = null
    const elapsedMs = this.clock.monotonic() - startedAt
    this.budget.observe(ops, elapsedMs)
    this.endOutage()
    this.hooks.committed(commit, ops.length, elapsedMs)
    let from = 0
    const settle = (entry: Entry) => {
      if (rejectedUnknown.has(entry)) this.releaseClaims(entry, commit.outcomes, from)
      else entry.resolve(commit.outcomes, from)
      from += entry.ops.length
    }
    for (const entry of joined) settle(entry)
    for (const { entry } of queued) settle(entry)
  }

  private onCommitError(batch: Batch, error: unknown): void {
    this.unknown = null
    if (error instanceof CommitOutcomeUnknown && this.keepUnknown(batch, error)) return
    for (const entry of batch.joined) entry.resolve([NOTHING_CLAIMED], 0)
    if (error instanceof StoreBusy) {
      this.requeue(batch.queued, error)
      return
    }
    const reason = error instanceof Error ? error.message : String(error)
    const rejection = new QueueError('STORE_FAILED', reason)
    for (const { entry } of batch.queued) entry.reject(rejection)
    // The store is reachable and no retry timer is armed, so the outage must end here.
    this.busySince = null
    this.retryMs = FIRST_RETRY_MS
    if (error instanceof StoreFailed) this.fail(error)
  }

  /** Ends all writing after a permanent failure in any part of the engine. Idempotent. */
  fail(error: StoreFailed): QueueError {
    if (this.failed) return this.failed
    const failure = new QueueError('STORE_FAILED', error.message)
    this.failed = failure
    for (const { entry } of this.queue.takeAll()) entry.reject(failure)
    this.hooks.failed(error)
    return failure
  }

  /** The commit may have happened: repeats it unchanged. Returns false when the engine is closing and no caller waits. */
  private keepUnknown(batch: Batch, error: CommitOutcomeUnknown): boolean {
    for (const queued of batch.queued) {
      if (this.canWait(queued)) continue
      batch.rejectedUnknown.add(queued.entry)
      queued.entry.reject(outcomeUnknown(error.message))
    }
    if (this.closing && batch.rejectedUnknown.size === batch.queued.length) return false
    this.unknown = batch
    this.retryLater(error)
    return true
  }

  /** Nothing was written: the batch goes back to the front of the queue, and a timer retries it. */
  private requeue(batch: readonly Queued[], error: StoreBusy): void {
    const kept = batch.filter((queued) => this.canWait(queued))
    for (const queued of batch) if (!kept.includes(queued)) queued.entry.reject(storeUnavailable(error.message))
    this.queue.putBack(kept)
    this.retryLater(error)
  }

  private canWait({ entry, queuedAt }: Queued): boolean {
    return !entry.failFast && this.clock.monotonic() - queuedAt < this.limits.busyMs
  }

  private retryLater(error: StoreBusy): void {
    this.busySince ??= this.clock.monotonic()
    this.busyReason = error.message
    this.clock.after(this.retryMs, () => this.retry(), true)
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2)
  }

  /** Releases jobs of a claim that was rejected as unknown and that has no request id to repeat it with. */
  private releaseClaims({ ops }: Entry, outcomes: readonly Outcome[], from: number): void {
    for (const [place, op] of ops.entries()) {
      if (op.kind !== 'claim' || op.requestId !== null || op.settle) continue
      const { jobs } = takeValue<'claim'>(outcomes[from + place])
      if (jobs.length > 0) this.add({ ops: releases(jobs), resolve: () => {}, reject: () => {} }, true)
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
    if (this.scheduled || !this.queue.isEmpty || this.unknown) return
    for (const resolve of this.drained.splice(0)) resolve()
  }
}

export function noOutcome(): QueueError {
  return new QueueError('STORE_FAILED', 'The store returned no outcome for an operation.')
}

const NOTHING_CLAIMED: Outcome = { ok: true, value: { jobs: [], nextEligibleAt: null } }

/** The typed value of an outcome. The store returns outcome i for operation i; this is the only place that relies on it. */
export function takeValue<K extends OpKind>(outcome: Outcome | undefined): OpValue<K> {
  if (!outcome) throw noOutcome()
  if (!outcome.ok) throw outcome.error
  return outcome.value as OpValue<K>
}
