/** Writes that wait for their commit: in order, and no more of them than fit. */
import type { QueueError } from '../../../shared/errors.ts'
import type { Op, OpKind, Outcome } from '../../store/ops.ts'
import { type BatchBudget, bytesOf, tooLarge, weightOf } from './batch-budget.ts'
import { tooManyQueued } from './write-errors.ts'

/** Operations of one caller: they travel in the same commit, and are told of it together. */
export interface Entry {
  readonly ops: readonly Op[]
  /** Refused at once when the database is out of reach: what it would do then, it must decide anew. */
  readonly impatient?: boolean
  /** Its outcomes begin at `from`. */
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

  /** Gives a refusal when there is no room. */
  put(entry: Entry, queuedAt: number): QueueError | null {
    let bytes = 0
    for (const op of entry.ops) bytes += bytesOf(op)
    const refusal = this.pushBack(entry.ops, bytes)
    if (refusal) return refusal
    this.queue.push({ entry, bytes, queuedAt })
    this.ops += entry.ops.length
    this.bytes += bytes
    return null
  }

  /** To the front again, whatever has come since. */
  putBack(batch: readonly Queued[]): void {
    this.queue.unshift(...batch)
    this.count(batch, 1)
  }

  /** As many as fit into one commit. */
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

  /** Producers and idle workers are held back first: finishing work is what shortens the queue. */
  private pushBack(ops: readonly Op[], bytes: number): QueueError | null {
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
