/** How much one commit may hold: bounded in operations, bytes, and in the time it is expected to take. */
import type { Op } from '../store/ops.ts'

const MAX_OPS = 512
const MAX_BYTES = 4 * 1024 * 1024
/** A commit blocks the event loop (SQLite) or a connection: short ones keep every caller's latency short. */
const TARGET_MS = 10
/** What one job costs before anything was measured. */
const FIRST_GUESS_MS = 0.02

export class BatchBudget {
  private msPerJob = FIRST_GUESS_MS

  fits(ops: number, bytes: number, weight: number): boolean {
    return ops <= MAX_OPS && bytes <= MAX_BYTES && weight * this.msPerJob <= TARGET_MS
  }

  /** Learns slowly upwards and downwards, so that one slow fsync does not halve the next batches. */
  observe(ops: readonly Op[], elapsedMs: number): void {
    let weight = 0
    for (const op of ops) weight += weightOf(op)
    if (weight < 8) return
    this.msPerJob = 0.9 * this.msPerJob + 0.1 * (elapsedMs / weight)
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
