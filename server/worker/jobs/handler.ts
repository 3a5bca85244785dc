/** Public types of handlers: context, abort reasons and return value. */
import type { LogStream } from '../../../shared/job.ts'
import type { JobTick } from '../../../shared/schedules/schedule.ts'

/** The values of `StopReason`. */
export const STOP_REASONS = ['lost', 'disconnected', 'cancelled', 'timeout', 'shutdown'] as const
/**
 * Why a handler was aborted: its lease is `lost`, the queue is `disconnected`, the job was `cancelled`, its `timeout` is
 * over, or the worker stops (`shutdown`).
 */
export type StopReason = (typeof STOP_REASONS)[number]

/** The abort reason of `signal`: an error with a `reason`. */
export class Stopped extends Error {
  override readonly name = 'AbortError'
  /** Why the handler was aborted. */
  readonly reason: StopReason

  constructor(reason: StopReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** The argument of a handler: the job, its signal, and functions to report progress and log lines. */
export interface JobContext<Payload = unknown> {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The payload, after the defaults and transforms of its schema. */
  readonly payload: Payload
  /** The fencing token of this attempt. Send it with side effects, and let the receiver reject smaller values. */
  readonly version: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** The maximum number of attempts. */
  readonly maxAttempts: number
  /** When the job was enqueued, in milliseconds UTC. */
  readonly createdAt: number
  /** The W3C `traceparent` of the enqueue call; null: none was given. */
  readonly traceparent: string | null
  /** The tick of the schedule that enqueued the job; null: it comes from no schedule. */
  readonly tick: JobTick | null
  /**
   * Aborted when the lease is lost or not confirmed in time, when the job is cancelled or times out, or when this worker
   * stops. Its reason is a `Stopped`.
   */
  readonly signal: AbortSignal
  /** Reports the progress from 0 to 100 percent. Of several reports in a row only the newest is sent. */
  progress(percent: number): void
  /** Appends a line to the log of the job, which the dashboard and `queuectl logs` show. */
  log(line: string, stream?: LogStream): void
}

/** Runs one job. The return value is the result of the job; a thrown error fails the attempt. */
export type Handler<Payload = unknown, Result = unknown> = (job: JobContext<Payload>) => Result | Promise<Result>
