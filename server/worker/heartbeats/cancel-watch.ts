/** Long poll for cancellations of running jobs; heartbeats would report them later. */

import { type ErrorCode, QueueError } from '../../../shared/errors.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { type Lease, leaseKey } from './lease-set.ts'

/** Shorter jobs are not watched, so that a worker with short jobs sends no extra calls. */
const WATCH_AFTER_MS = 250
const WAIT_MS = 20 * SECOND
const RETRY_MS = 2 * SECOND
/** The server is too old for this procedure, or the token lacks the scope: heartbeats report cancellations. */
const NOT_RETRIED: readonly ErrorCode[] = ['BAD_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'UNAUTHORIZED', 'WRONG_METHOD']

export interface CancelWatchOptions {
  readonly queue: Pick<Queue, 'cancellations'>
  readonly worker: string
  readonly clock: Clock
  /** The leases of handlers that have run for at least `ranMs` and are not aborted. */
  readonly leases: (ranMs: number) => readonly Lease[]
  readonly onCancelled: (leases: readonly Lease[]) => void
}

export class CancelWatch {
  private readonly options: CancelWatchOptions
  private timer: Timer | null = null
  private call: AbortController | null = null
  private watched = new Set<string>()
  private isStopped = false

  constructor(options: CancelWatchOptions) {
    this.options = options
  }

  /** A handler has started. */
  started(): void {
    this.checkIn(WATCH_AFTER_MS)
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
    this.call?.abort()
  }

  private checkIn(ms: number): void {
    if (this.timer || this.isStopped) return
    this.timer = this.options.clock.after(ms, () => {
      this.timer = null
      this.check()
    })
  }

  /** A call may watch jobs that have ended. It is replaced when a running job is missing from it. */
  private check(): void {
    const leases = this.options.leases(WATCH_AFTER_MS).slice(0, limits.leases)
    if (leases.length === 0) this.call?.abort()
    else if (!leases.every((lease) => this.watched.has(leaseKey(lease)))) void this.watch(leases)
    // Handlers younger than WATCH_AFTER_MS are checked again.
    if (this.options.leases(0).length > leases.length) this.checkIn(WATCH_AFTER_MS)
  }

  private async watch(leases: readonly Lease[]): Promise<void> {
    const { queue, worker, onCancelled } = this.options
    const call = new AbortController()
    this.call = call
    this.watched = new Set(leases.map(leaseKey))
    let nextMs = 0
    try {
      const { cancelled } = await queue.cancellations(
        { worker, leases: [...leases], waitMs: WAIT_MS },
        { signal: call.signal },
      )
      if (this.isStopped) return
      const named = new Set(cancelled)
      onCancelled(leases.filter(({ id }) => named.has(id)))
    } catch (error) {
      if (error instanceof QueueError && NOT_RETRIED.includes(error.code)) this.isStopped = true
      nextMs = RETRY_MS
    }
    // A newer call has replaced this one.
    if (this.call !== call) return
    this.call = null
    this.watched = new Set()
    if (this.options.leases(0).length > 0) this.checkIn(nextMs)
  }
}
