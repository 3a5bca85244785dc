/** Size limit of a batch: bounded in operations, bytes and expected commit time. */
import { QueueError } from '../../../shared/errors.ts'
import type { Op } from '../../store/ops.ts'

const MAX_OPS = 512
const MAX_BYTES = 4 * 1024 * 1024
/** A commit blocks the event loop (SQLite) or a connection (PostgreSQL), so long commits delay every caller. */
const TARGET_MS = 10
/** Estimated cost of a job before the first measurement. */
const INITIAL_MS_PER_JOB = 0.02
/** Below this weight the fixed cost of a commit dominates: round trips and an fsync. */
const SMALL_COMMIT = 8
/** Minimum capacity. Where the fixed cost alone exceeds the target, smaller batches would only mean more commits. */
const ALWAYS_FIT = 64

export class BatchBudget {
  private msPerJob = INITIAL_MS_PER_JOB
  private msPerCommit = 0

  fits(ops: number, bytes: number, weight: number): boolean {
    const isShort = weight <= ALWAYS_FIT || weight * this.msPerJob <= TARGET_MS
    return isShort && ops <= MAX_OPS && bytes <= MAX_BYTES
  }

  /** Exponential moving average: one slow fsync changes the next batches only a little. */
  observe(ops: readonly Op[], elapsedMs: number): void {
    let weight = 0
    for (const op of ops) weight += weightOf(op)
    if (weight < SMALL_COMMIT) this.msPerCommit = 0.9 * this.msPerCommit + 0.1 * elapsedMs
    else this.msPerJob = 0.9 * this.msPerJob + (0.1 * Math.max(0, elapsedMs - this.msPerCommit)) / weight
  }
}

/** Approximate number of jobs that an operation touches. */
export function weightOf(op: Op): number {
  switch (op.kind) {
    case 'enqueue':
      return op.jobs.length
    case 'heartbeat':
      return op.leases.length
    case 'bulkApply':
      return op.jobs.length
    case 'claim':
    case 'cleanup':
    case 'promote':
    case 'rescue':
    case 'bulkRevert':
      return op.limit
    default:
      return 1
  }
}

/** Approximate size of an operation. */
export function bytesOf(op: Op): number {
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

export function tooLarge(bytes: number, most: number): QueueError {
  return new QueueError('TOO_LARGE', `This write is ${bytes} bytes, more than ${most}; split it.`, { bytes, most })
}
