/** Group commit: all writes that arrive in one turn of the event loop share one fsynced transaction. */
import { QueueError } from '../../../shared/errors.ts'
import type { Clock } from '../../base/clock.ts'
import type { DirectStore } from '../../store/direct-store.ts'
import type { Op, OpKind, OpOf, OpValue, Outcome } from '../../store/ops.ts'
import { type Commit, type Store, StoreBusy, StoreFailed, StoreUnsure } from '../../store/store.ts'
import { releases } from '../claims/claim-requests.ts'
import { BatchBudget } from './batch-budget.ts'
import { closed, nobodyKnows, outOfReach } from './write-errors.ts'
import { type Entry, type Queued, type QueueLimits, WriteQueue } from './write-queue.ts'

/** What travels in one commit. */
interface Batch {
  readonly queued: readonly Queued[]
  /** Waiting claims: they come before those who just arrived; phases decide the rest. */
  readonly joined: readonly Entry[]
  readonly ops: readonly Op[]
  /** Those who were told that nobody knows. */
  readonly toldUnsure: Set<Entry>
}

export interface GroupCommitHooks {
  /** Waiting claims that want to be part of the commit that makes their job ready. */
  join(arrived: readonly Entry[]): readonly Entry[]
  /** After COMMIT and before any caller is answered. */
  committed(commit: Commit, operations: number, elapsedMs: number): void
  /** The database was out of reach for this long and is back. */
  recovered(outageMs: number): void
  /** The store can no longer be trusted; nothing will be written any more. */
  failed(error: Error): void
}

export interface GroupCommitLimits extends QueueLimits {
  /** How long a batch waits for a database that others hold. */
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
  /** Why the database was out of reach when it last was. */
  private busyReason = ''
  /** Nobody knows whether it is stored: it is asked for again, and unchanged, before anything else is. */
  private unsure: Batch | null = null
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

  /** Without waiting for a turn, ahead of what is queued: it has happened on return. `store` is this engine's own. */
  writeNow(store: Pick<DirectStore, 'commitNow'>, ops: readonly Op[]): readonly Outcome[] {
    if (this.failed) throw this.failed
    const startedAt = this.clock.monotonic()
    let commit: Commit
    try {
      commit = store.commitNow(ops)
    } catch (error) {
      if (error instanceof StoreBusy) throw outOfReach(error.message)
      throw error instanceof StoreFailed ? this.fail(error) : error
    }
    this.hooks.committed(commit, ops.length, this.clock.monotonic() - startedAt)
    return commit.outcomes
  }

  /** Takes nothing new, finishes what is queued. */
  close(): Promise<void> {
    this.closing = true
    return new Promise((resolve) => {
      this.drained.push(resolve)
      this.settleDrain()
    })
  }

  /** Why nothing is written any more; null while the store can be trusted. */
  get failure(): QueueError | null {
    return this.failed
  }

  get backlog(): number {
    return this.queue.size
  }

  /** Queues an entry for the next commit, or refuses it at once. `lastWords` are taken even while closing. */
  add(entry: Entry, lastWords = false): void {
    const refusal =
      this.failed ??
      (this.closing && !lastWords ? closed() : null) ??
      (entry.impatient && this.busySince !== null ? outOfReach(this.busyReason) : null) ??
      this.queue.put(entry, this.clock.monotonic())
    if (refusal) entry.reject(refusal)
    else this.schedule()
  }

  private schedule(): void {
    // While the database is out of reach the retry timer sets the pace, however many callers come.
    if (this.scheduled || this.busySince !== null) return
    this.scheduled = true
    setImmediate(() => void this.turn())
  }

  private async turn(): Promise<void> {
    try {
      const batch = this.unsure ?? this.gather()
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
    return { queued, joined, ops, toldUnsure: new Set() }
  }

  private async write(batch: Batch): Promise<void> {
    const { ops, joined, queued, toldUnsure } = batch
    const startedAt = this.clock.monotonic()
    let commit: Commit
    try {
      commit = await this.store.commit(ops)
    } catch (error) {
      this.notWritten(batch, error)
      return
    }
    this.unsure = null
    const elapsedMs = this.clock.monotonic() - startedAt
    this.budget.observe(ops, elapsedMs)
    this.endOutage()
    this.hooks.committed(commit, ops.length, elapsedMs)
    let from = 0
    const answer = (entry: Entry) => {
      if (toldUnsure.has(entry)) this.giveBack(entry, commit.outcomes, from)
      else entry.resolve(commit.outcomes, from)
      from += entry.ops.length
    }
    for (const entry of joined) answer(entry)
    for (const { entry } of queued) answer(entry)
  }

  private notWritten(batch: Batch, error: unknown): void {
    this.unsure = null
    if (error instanceof StoreUnsure && this.holdOn(batch, error)) return
    for (const entry of batch.joined) entry.resolve([NOTHING_CLAIMED], 0)
    if (error instanceof StoreBusy) {
      this.keep(batch.queued, error)
      return
    }
    const reason = error instanceof Error ? error.message : String(error)
    const refusal = new QueueError('STORE_FAILED', reason)
    for (const { entry } of batch.queued) entry.reject(refusal)
    // It answered, if badly: no retry timer is armed, so nothing may wait for one.
    this.busySince = null
    this.retryMs = FIRST_RETRY_MS
    if (error instanceof StoreFailed) this.fail(error)
  }

  /** Ends all writing, whichever part of the engine met the failure; a second time changes nothing. */
  fail(error: StoreFailed): QueueError {
    if (this.failed) return this.failed
    const refusal = new QueueError('STORE_FAILED', error.message)
    this.failed = refusal
    for (const { entry } of this.queue.takeAll()) entry.reject(refusal)
    this.hooks.failed(error)
    return refusal
  }

  /** Nobody knows whether it happened: asked again as it was. false: the engine ends, and nobody waits any more. */
  private holdOn(batch: Batch, error: StoreUnsure): boolean {
    for (const queued of batch.queued) {
      if (this.isPatient(queued)) continue
      batch.toldUnsure.add(queued.entry)
      queued.entry.reject(nobodyKnows(error.message))
    }
    if (this.closing && batch.toldUnsure.size === batch.queued.length) return false
    this.unsure = batch
    this.waitForDatabase(error)
    return true
  }

  /** Nothing happened: the batch goes back to the front and a timer tries again. */
  private keep(batch: readonly Queued[], error: StoreBusy): void {
    const kept = batch.filter((queued) => this.isPatient(queued))
    for (const queued of batch) if (!kept.includes(queued)) queued.entry.reject(outOfReach(error.message))
    this.queue.putBack(kept)
    this.waitForDatabase(error)
  }

  private isPatient({ entry, queuedAt }: Queued): boolean {
    return !entry.impatient && this.clock.monotonic() - queuedAt < this.limits.busyMs
  }

  private waitForDatabase(error: StoreBusy): void {
    this.busySince ??= this.clock.monotonic()
    this.busyReason = error.message
    this.clock.after(this.retryMs, () => this.retry(), true)
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2)
  }

  /** Claimed for someone who was sent away, and who cannot ask for the same again. */
  private giveBack({ ops }: Entry, outcomes: readonly Outcome[], from: number): void {
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
    if (this.scheduled || !this.queue.isEmpty || this.unsure) return
    for (const resolve of this.drained.splice(0)) resolve()
  }
}

export function noOutcome(): QueueError {
  return new QueueError('STORE_FAILED', 'The store gave no outcome for an operation.')
}

const NOTHING_CLAIMED: Outcome = { ok: true, value: { jobs: [], nextEligibleAt: null } }

/** Outcome i belongs to operation i: the one place where the pairing, kept by the store, becomes a type. */
export function takeValue<K extends OpKind>(outcome: Outcome | undefined): OpValue<K> {
  if (!outcome) throw noOutcome()
  if (!outcome.ok) throw outcome.error
  return outcome.value as OpValue<K>
}
