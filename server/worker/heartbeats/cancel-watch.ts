/** Learns at once of running jobs that are cancelled; the heartbeats would say so later. */
import { type ErrorCode, QueueError } from '../../../shared/errors.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Lease } from './lease-set.ts'

/** Jobs that are over sooner are not watched: a worker of short jobs makes no further calls. */
const WATCH_AFTER_MS = 250
const WAIT_MS = 20 * SECOND
const RETRY_MS = 2 * SECOND
/** An older server has no such procedure, or this token may not call it: the heartbeats are enough. */
const FINAL: readonly ErrorCode[] = ['BAD_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'UNAUTHORIZED', 'WRONG_METHOD']

export interface CancelWatchParts {
  readonly queue: Pick<Queue, 'cancellations'>
  readonly worker: string
  readonly clock: Clock
  /** The leases of handlers that have run for at least so long and are not aborted. */
  readonly leases: (ranMs: number) => readonly Lease[]
  readonly onCancelled: (leases: readonly Lease[]) => void
}

export class CancelWatch {
  private readonly parts: CancelWatchParts
  private timer: Timer | null = null
  private call: AbortController | null = null
  private watched = new Set<string>()
  private isStopped = false

  constructor(parts: CancelWatchParts) {
    this.parts = parts
  }

  /** A handler has started. */
  started(): void {
    this.lookIn(WATCH_AFTER_MS)
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
    this.call?.abort()
  }

  private lookIn(ms: number): void {
    if (this.timer || this.isStopped) return
    this.timer = this.parts.clock.after(ms, () => {
      this.timer = null
      this.look()
    })
  }

  /** A call that watches too many does no harm; one that misses a job is replaced. */
  private look(): void {
    const leases = this.parts.leases(WATCH_AFTER_MS).slice(0, limits.leases)
    if (leases.length === 0) this.call?.abort()
    else if (!leases.every((lease) => this.watched.has(keyOf(lease)))) void this.watch(leases)
    // Those that have started since are old enough by then.
    if (this.parts.leases(0).length > leases.length) this.lookIn(WATCH_AFTER_MS)
  }

  private async watch(leases: readonly Lease[]): Promise<void> {
    const { queue, worker, onCancelled } = this.parts
    const call = new AbortController()
    this.call = call
    this.watched = new Set(leases.map(keyOf))
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
      if (error instanceof QueueError && FINAL.includes(error.code)) this.isStopped = true
      nextMs = RETRY_MS
    }
    // Otherwise a newer call has taken its place.
    if (this.call !== call) return
    this.call = null
    this.watched = new Set()
    if (this.parts.leases(0).length > 0) this.lookIn(nextMs)
  }
}

function keyOf({ id, version }: Lease): string {
  return `${id} ${version}`
}
