/** Fails attempts whose time is over while the thread that runs their handler is too busy to do it. */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Lease } from './lease-set.ts'

/** How much earlier than the queue's deadline an attempt is failed: the queue takes an attempt without an outcome for a crash. */
const MARGIN = 0.1
const MAX_MARGIN_MS = 1_000

/** When a worker ends an attempt by itself, counted from its start. */
export function timeoutAfterMs(timeoutMs: number): number {
  return timeoutMs - marginMs(timeoutMs)
}

export function timeoutError(timeoutMs: number): string {
  return `Timed out after ${timeoutMs / 1_000} s`
}

function marginMs(timeoutMs: number): number {
  return Math.min(MAX_MARGIN_MS, timeoutMs * MARGIN)
}

export interface AttemptTimeoutParts {
  readonly queue: Pick<Queue, 'fail'>
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

export class AttemptTimeouts {
  private readonly parts: AttemptTimeoutParts
  private readonly timers = new Map<string, Timer>()

  constructor(parts: AttemptTimeoutParts) {
    this.parts = parts
  }

  /** In the middle between the worker's own timer and the queue's deadline. */
  hold(lease: Lease, startedAt: number, timeoutMs: number): void {
    const { clock } = this.parts
    this.drop(lease)
    const at = startedAt + timeoutMs - marginMs(timeoutMs) / 2
    const timer = clock.after(Math.max(0, at - clock.monotonic()), () => this.fail(lease, timeoutMs))
    this.timers.set(keyOf(lease), timer)
  }

  drop(lease: Lease): void {
    this.timers.get(keyOf(lease))?.cancel()
    this.timers.delete(keyOf(lease))
  }

  stop(): void {
    for (const timer of this.timers.values()) timer.cancel()
    this.timers.clear()
  }

  /** The worker fails the attempt too, later; a repeated outcome is a success. */
  private fail({ id, version }: Lease, timeoutMs: number): void {
    this.timers.delete(keyOf({ id, version }))
    this.parts.queue.fail({ id, version, error: timeoutError(timeoutMs) }).catch(this.parts.onError)
  }
}

function keyOf({ id, version }: Lease): string {
  return `${version}:${id}`
}
