/** Fails timed-out attempts from the heartbeat thread while the handler's thread is blocked. */
import type { Queue } from '../../../shared/queue.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { type Lease, leaseKey } from './lease-set.ts'

/** How much earlier than the queue's deadline an attempt is failed: the queue counts an attempt without an outcome as a crash. */
const MARGIN = 0.1
const MAX_MARGIN_MS = 1_000

/** When the worker itself times out an attempt, counted from its start. */
export function timeoutAfterMs(timeoutMs: number): number {
  return timeoutMs - marginMs(timeoutMs)
}

/** When the heartbeat thread fails an attempt: halfway between the worker's own timer and the queue's deadline. */
export function threadFailsAt(startedAt: number, timeoutMs: number): number {
  return startedAt + timeoutMs - marginMs(timeoutMs) / 2
}

export function timeoutError(timeoutMs: number): string {
  return `Timed out after ${timeoutMs / 1_000} s`
}

function marginMs(timeoutMs: number): number {
  return Math.min(MAX_MARGIN_MS, timeoutMs * MARGIN)
}

export interface AttemptTimeoutsOptions {
  readonly queue: Pick<Queue, 'fail'>
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

export class AttemptTimeouts {
  private readonly options: AttemptTimeoutsOptions
  private readonly timers = new Map<string, Timer>()

  constructor(options: AttemptTimeoutsOptions) {
    this.options = options
  }

  hold(lease: Lease, startedAt: number, timeoutMs: number): void {
    const { clock } = this.options
    this.drop(lease)
    const delayMs = Math.max(0, threadFailsAt(startedAt, timeoutMs) - clock.monotonic())
    const timer = clock.after(delayMs, () => this.fail(lease, timeoutMs))
    this.timers.set(leaseKey(lease), timer)
  }

  drop(lease: Lease): void {
    this.timers.get(leaseKey(lease))?.cancel()
    this.timers.delete(leaseKey(lease))
  }

  stop(): void {
    for (const timer of this.timers.values()) timer.cancel()
    this.timers.clear()
  }

  /** The worker fails the attempt later as well; repeating the same outcome succeeds. */
  private fail({ id, version }: Lease, timeoutMs: number): void {
    this.timers.delete(leaseKey({ id, version }))
    this.options.queue.fail({ id, version, error: timeoutError(timeoutMs) }).catch(this.options.onError)
  }
}
