/** Fails timed-out attempts of shared leases, from the heartbeat thread while a handler blocks its own thread. */
import type { Queue } from '../../../shared/queue.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { timeoutError } from './attempt-timeouts.ts'
import { readTimeouts } from './shared-leases.ts'

/**
 * The thread reads the rows so often, from the first attempt with a timeout on. The shortest timeout is a second, so an attempt is seen
 * before it is due without a message: two messages per job took a third of the CPU time of
 * a worker in process with 50 slots and empty handlers (60 against 39 µs per job).
 */
export const CHECK_EVERY_MS = 500

export interface SharedTimeoutsOptions {
  readonly queue: Pick<Queue, 'fail'>
  /** The memory of `SharedLeases`. */
  readonly leases: SharedArrayBuffer
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

export class SharedTimeouts {
  private readonly options: SharedTimeoutsOptions
  /** Marks of attempts that were failed. The worker's thread clears their rows when it is no longer blocked. */
  private readonly failed = new Set<number>()
  private timer: Timer | null = null
  private dueAt = Number.POSITIVE_INFINITY

  /** A restarted thread finds the attempts that are held. */
  constructor(options: SharedTimeoutsOptions) {
    this.options = options
    if (readTimeouts(options.leases).length > 0) this.check()
  }

  /** Checks at this monotonic time, and regularly from now on. */
  checkAt(at: number): void {
    const { clock } = this.options
    const now = clock.monotonic()
    const next = Math.min(at, now + CHECK_EVERY_MS)
    if (next >= this.dueAt) return
    this.timer?.cancel()
    this.dueAt = next
    this.timer = clock.after(Math.max(0, next - now), () => this.check())
  }

  stop(): void {
    this.timer?.cancel()
  }

  private check(): void {
    const { leases, clock } = this.options
    const now = clock.monotonic()
    const held = readTimeouts(leases)
    const marks = new Set(held.map(({ mark }) => mark))
    for (const mark of this.failed) if (!marks.has(mark)) this.failed.delete(mark)
    const open = held.filter(({ mark }) => !this.failed.has(mark))
    this.dueAt = Number.POSITIVE_INFINITY
    this.checkAt(Number.POSITIVE_INFINITY)
    for (const { id, version, mark, timeoutMs, failAt } of open) {
      if (failAt > now) this.checkAt(failAt)
      else {
        this.failed.add(mark)
        this.fail(id, version, timeoutMs)
      }
    }
  }

  /** The worker fails the attempt later as well; repeating the same outcome succeeds. */
  private fail(id: string, version: number, timeoutMs: number): void {
    const { queue, onError } = this.options
    queue.fail({ id, version, error: timeoutError(timeoutMs) }).catch(onError)
  }
}
