/** What a handler is given, and what it gives back. */
import type { LogStream } from '../../shared/job.ts'

/** Why a handler should stop: the reason of its signal. */
export const STOP_REASONS = ['lost', 'disconnected', 'cancelled', 'timeout', 'shutdown'] as const
export type StopReason = (typeof STOP_REASONS)[number]

/** The reason of an aborted signal; `why` tells them apart. */
export class Stopped extends Error {
  override readonly name = 'AbortError'
  readonly why: StopReason

  constructor(why: StopReason, message: string) {
    super(message)
    this.why = why
  }
}

export interface JobContext<Payload = unknown> {
  readonly id: string
  readonly type: string
  readonly payload: Payload
  /** The fencing token of this attempt: send it along with side effects, and let the receiver refuse smaller ones. */
  readonly version: number
  /** 1 for the first. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly createdAt: number
  readonly traceparent: string | null
  /** Aborted when the lease is lost or not confirmed in time, the job is cancelled, its time is over, or this worker stops. Its reason is a Stopped. */
  readonly signal: AbortSignal
  /** From 0 to 100. The newest is sent; those it overtakes are not. */
  progress(percent: number): void
  /** A line for whoever looks at this job. */
  log(line: string, stream?: LogStream): void
}

export type Handler<Payload = unknown, Result = unknown> = (job: JobContext<Payload>) => Result | Promise<Result>
