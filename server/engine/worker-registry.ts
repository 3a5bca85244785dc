/** Notes which workers have been heard of, at most every few seconds each. */
import type { Clock } from '../clock.ts'
import type { Op } from '../store/ops.ts'

const EVERY_MS = 5_000
const MAX_REMEMBERED = 10_000

export class WorkerRegistry {
  private readonly clock: Clock
  private readonly seen = new Map<string, number>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** The write that is due, if one is: it travels with the claim or heartbeat that caused it. No types: as last known. */
  see(worker: string, types: readonly string[] | null): readonly Op[] {
    const now = this.clock.monotonic()
    if (now - (this.seen.get(worker) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return []
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear()
    this.seen.set(worker, now)
    return [{ kind: 'seeWorker', worker, types }]
  }
}
