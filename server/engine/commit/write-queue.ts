/** Bounded FIFO of writes that wait for a commit. */
import type { QueueError } from '../../../shared/errors.ts'
import type { Op, OpKind, Outcome } from '../../store/ops.ts'
import { type BatchBudget, bytesOf, tooLarge, weightOf } from './batch-budget.ts'
import { tooManyQueued } from './write-errors.ts'

/** Operations of one caller, which share a commit. */
export interface Entry {
  readonly ops: readonly Op[]
  /** Rejected at once during an outage, because the operation may be wrong by the time the database is back. */
  readonly failFast?: boolean
  /** The outcomes of its operations begin at index `from`. */
  readonly resolve: (outcomes: readonly Outcome[], from: number) => void
  readonly reject: (error: QueueError) => void
}

export interface Queued {
  readonly entry: Entry
  readonly bytes: number
  readonly queuedAt: number
}

export interface QueueLimits {
  readonly queuedOps: number
  readonly queuedBytes: number
}

/** Operations that end or extend an attempt. */
const FINISHES_WORK: ReadonlySet<OpKind> = new Set<OpKind>(['complete', 'fail', 'release', 'heartbeat'])

export class WriteQueue {
  private readonly limits: QueueLimits
  private queue: Queued[] = []
  private ops = 0
  private bytes = 0

  constructor(limits: QueueLimits) {
    this.limits = limits
  }

  /** How many operations wait. */
  get size(): number {
    return this.ops
  }

  get isEmpty(): boolean {
    return this.queue.length === 0
  }

  /** Returns an error when the queue is full. */
  put(entry: Entry, queuedAt: number): QueueError | null {
    let bytes = 0
    for (const op of entry.ops) bytes += bytesOf(op)
    const error = this.checkCapacity(entry.ops, bytes)
    if (error) return error
    this.queue.push({ entry, bytes, queuedAt })
    this.ops += entry.ops.length
    this.bytes += bytes
    return null
  }

  /** Puts a batch back at the front. */
  putBack(batch: readonly Queued[]): void {
    this.queue.unshift(...batch)
    this.count(batch, 1)
  }

  /** Removes as many entries as fit into one commit. */
  take(budget: BatchBudget): Queued[] {
    const batch: Queued[] = []
    let ops = 0
    let bytes = 0
    let weight = 0
    for (const queued of this.queue) {
      ops += queued.entry.ops.length
      bytes += queued.bytes
      for (const op of queued.entry.ops) weight += weightOf(op)
      if (batch.length > 0 && !budget.fits(ops, bytes, weight)) break
      batch.push(queued)
    }
    this.queue.splice(0, batch.length)
    this.count(batch, -1)
    return batch
  }

  takeAll(): Queued[] {
    this.ops = 0
    this.bytes = 0
    return this.queue.splice(0)
  }

  /** Operations that finish work get twice the capacity: they shorten the backlog, enqueues and claims do not. */
  private checkCapacity(ops: readonly Op[], bytes: number): QueueError | null {
    const { queuedOps, queuedBytes } = this.limits
    if (bytes > queuedBytes) return tooLarge(bytes, queuedBytes)
    const share = ops.some((op) => FINISHES_WORK.has(op.kind)) ? 2 : 1
    const fits = this.ops + ops.length <= queuedOps * share && this.bytes + bytes <= queuedBytes * share
    return fits ? null : tooManyQueued(this.ops)
  }

  private count(batch: readonly Queued[], sign: 1 | -1): void {
    for (const { entry, bytes } of batch) {
      this.ops += sign * entry.ops.length
      this.bytes += sign * bytes
    }
  }
}
