/** Dependencies and settings of `Worker`. */
import type { Queue } from '../../shared/queue.ts'
import type { Clock } from '../base/clock.ts'
import type { HeartbeatReport, Heartbeats } from './heartbeats/heartbeats.ts'
import type { Handler } from './jobs/handler.ts'

export interface WorkerDependencies {
  readonly queue: Queue
  /** By job type. May change while the worker runs; call `handlersChanged` afterwards. */
  readonly handlers: ReadonlyMap<string, Handler>
  readonly name: string
  /** Maximum number of jobs that run at the same time. */
  readonly concurrency: number
  /** Maximum number of jobs that are claimed in advance. */
  readonly prefetch: number
  /** Version of the application, shown in the list of workers. */
  readonly version: string
  /** Name of the operating-system process: a crash of one job ends all jobs of the process. */
  readonly process: string
  readonly leaseMs: number
  /** How long one claim waits for a job. */
  readonly waitMs: number
  /** The queue is embedded in this process and cannot become unreachable: leases have no local deadline. */
  readonly isLocal: boolean
  /**
   * Runs before the first claim, and again before the next claim after an outage or after the queue no longer knew a
   * job of this worker. Nothing is claimed while it rejects.
   */
  readonly prepare?: (context: { readonly signal: AbortSignal }) => Promise<void>
  readonly clock: Clock
  readonly random: () => number
  readonly newId: () => string
  readonly heartbeats: (listener: {
    readonly onHeartbeat: (report: HeartbeatReport) => void
    readonly onError: (error: unknown) => void
  }) => Heartbeats
}
