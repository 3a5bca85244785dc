/** How much one commit may hold: bounded in operations, bytes, and in the time it is expected to take. */
import { QueueError } from '../../../shared/errors.ts'
import type { Op } from '../../store/ops.ts'

const MAX_OPS = 512
const MAX_BYTES = 4 * 1024 * 1024
/** A commit blocks the event loop (SQLite) or a connection: short ones keep every caller's latency short. */
const TARGET_MS = 10
/** What one job costs before anything was measured. */
const FIRST_GUESS_MS = 0.02
/** Commits of fewer jobs take what any commit takes: round trips and an fsync. */
const FEW = 8
/** So many fit however slow the last commits were: where a commit alone takes longer than the target, more of them is worse. */
const ALWAYS_FIT = 64

export class BatchBudget {
  private msPerJob = FIRST_GUESS_MS
  private msPerCommit = 0

  fits(ops: number, bytes: number, weight: number): boolean {
    const isShort = weight <= ALWAYS_FIT || weight * this.msPerJob <= TARGET_MS
    return isShort && ops <= MAX_OPS && bytes <= MAX_BYTES
  }

  /** Learns slowly upwards and downwards, so that one slow fsync does not halve the next batches. */
  observe(ops: readonly Op[], elapsedMs: number): void {
    let weight = 0
    for (const op of ops) weight += weightOf(op)
    if (weight < FEW) this.msPerCommit = 0.9 * this.msPerCommit + 0.1 * elapsedMs
    else this.msPerJob = 0.9 * this.msPerJob + (0.1 * Math.max(0, elapsedMs - this.msPerCommit)) / weight
  }
}

/** Roughly how many jobs an operation touches. */
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

/** Roughly what an operation holds. */
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
