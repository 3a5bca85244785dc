/** What a worker is made of: its queue, its handlers, its limits and its clock. */
import type { Clock } from '../base/clock.ts'
import type { Queue } from '../queue/queue.ts'
import type { Heartbeats, Pulse } from './heartbeats/heartbeats.ts'
import type { Handler } from './jobs/handler.ts'

export interface WorkerParts {
  readonly queue: Queue
  /** By type. May change while the worker runs, followed by a call of `handlersChanged`. */
  readonly handlers: ReadonlyMap<string, Handler>
  readonly name: string
  /** Jobs at the same time. */
  readonly concurrency: number
  /** Of the code it runs, as the list of workers shows it. */
  readonly version: string
  /** The operating-system process: what ends with a job that crashes. */
  readonly process: string
  readonly leaseMs: number
  /** How long one call waits for a job before it asks again. */
  readonly waitMs: number
  /** The queue lives in this process and cannot be cut off from it: its leases have no local deadline. */
  readonly isLocal: boolean
  /**
   * Runs before the first claim, and again before the next claim after the queue was unreachable or no longer knew a job of
   * this worker. While it rejects nothing is claimed.
   */
  readonly prepare?: (context: { readonly signal: AbortSignal }) => Promise<void>
  readonly clock: Clock
  readonly random: () => number
  readonly newId: () => string
  readonly heartbeats: (heard: {
    readonly onPulse: (pulse: Pulse) => void
    readonly onError: (error: unknown) => void
  }) => Heartbeats
}
