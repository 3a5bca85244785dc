/** What a handler is given, and what it gives back. */
import type { LogStream } from '../../../shared/job.ts'

/** Why a handler should stop: the reason of its signal. */
export const STOP_REASONS = ['lost', 'disconnected', 'cancelled', 'timeout', 'shutdown'] as const
/**
 * Why a handler should stop: its lease was `lost`, the queue is `disconnected`, the job was `cancelled`, its `timeout` is
 * over, or the worker stops (`shutdown`).
 */
export type StopReason = (typeof STOP_REASONS)[number]

/** The reason of an aborted signal; `why` says which. */
export class Stopped extends Error {
  override readonly name = 'AbortError'
  /** Why the handler should stop. */
  readonly why: StopReason

  constructor(why: StopReason, message: string) {
    super(message)
    this.why = why
  }
}

/** What a handler gets. */
export interface JobContext<Payload = unknown> {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The payload, with defaults and transforms of its definition. */
  readonly payload: Payload
  /** The fencing token of this attempt: send it along with side effects, and let the receiver refuse smaller ones. */
  readonly version: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** How often the job is tried. */
  readonly maxAttempts: number
  /** When the job was enqueued, in milliseconds UTC. */
  readonly createdAt: number
  /** The W3C `traceparent` that the job was enqueued with. */
  readonly traceparent: string | null
  /**
   * Aborted when the lease is lost or not confirmed in time, the job is cancelled, its timeout is over, or this worker
   * stops; its reason is a `Stopped`.
   */
  readonly signal: AbortSignal
  /** Reports how far the job is, from 0 to 100 percent; of several reports in a row only the newest is sent. */
  progress(percent: number): void
  /** Adds a line to the log of the job, shown in the dashboard and by `queuectl logs`. */
  log(line: string, stream?: LogStream): void
}

/** Runs one job; what it returns is the result, and an error it throws fails the attempt. */
export type Handler<Payload = unknown, Result = unknown> = (job: JobContext<Payload>) => Result | Promise<Result>
