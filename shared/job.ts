/** What callers see of a job, its attempts and its logs. */
import type { Backoff } from './backoff.ts'
import type { Status } from './status.ts'

/** A job without its bodies: what lists show. Instants are milliseconds UTC. */
export interface JobSummary {
  readonly id: string
  /** Grows with every insert; breaks ties in claim order and is the numeric id of messages. */
  readonly seq: number
  readonly type: string
  readonly status: Status
  readonly priority: number
  readonly attempts: number
  /** null: the type's setting decides when it is needed. */
  readonly maxAttempts: number | null
  readonly crashes: number
  /** The fencing token: grows by one at every claim, for ever. */
  readonly version: number
  readonly runAt: number
  readonly leaseUntil: number | null
  readonly leaseMs: number | null
  /** Who holds it, or who completed it. */
  readonly lockedBy: string | null
  readonly error: string | null
  readonly progress: number | null
  readonly dedupeKey: string | null
  readonly dedupeUntil: DedupeUntil | null
  readonly timeoutMs: number | null
  readonly backoff: Backoff | null
  readonly face: string
  readonly cancelRequestedAt: number | null
  readonly claimRequestId: string | null
  readonly traceparent: string | null
  readonly concurrencyKey: string | null
  readonly expiresAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

export interface Job extends JobSummary {
  readonly payload: unknown
  readonly result: unknown
}

/** `removed`: the key is taken while the job exists. `finished`: it is free again at a terminal status. */
export type DedupeUntil = 'removed' | 'finished'

/** What a worker gets: the payload and everything it needs to fence its side effects. */
export interface ClaimedJob {
  readonly id: string
  readonly seq: number
  readonly type: string
  readonly payload: unknown
  readonly version: number
  readonly attempts: number
  readonly maxAttempts: number
  /** Above 0 it was given out alone; a heartbeat before it starts confirms that it has arrived. */
  readonly crashes: number
  readonly priority: number
  readonly runAt: number
  readonly createdAt: number
  readonly startedAt: number
  readonly leaseUntil: number
  /** How long this attempt may take: the job's own, or its type's. */
  readonly timeoutMs: number | null
  readonly traceparent: string | null
}

/** Who holds a job under which version, or held it when it was completed. */
export interface Holder {
  readonly id: string
  readonly seq: number
  readonly type: string
  readonly status: Status
  readonly version: number
  readonly worker: string | null
}

export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'released', 'crashed'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

export interface Attempt {
  readonly version: number
  readonly worker: string | null
  readonly startedAt: number
  readonly finishedAt: number
  readonly outcome: AttemptOutcome
  /** What became of the job, and when it may run next. */
  readonly statusAfter: Status
  readonly nextRunAt: number | null
  readonly error: string | null
  readonly errorKey: string | null
  readonly exitCode: number | null
}

export const LOG_STREAMS = ['stdout', 'stderr', 'log'] as const
export type LogStream = (typeof LOG_STREAMS)[number]

export interface LogLine {
  readonly id: number
  readonly version: number
  readonly stream: LogStream
  readonly at: number
  readonly line: string
  /**
   * Which line of its attempt it is, from 1 on: where the numbers do not follow one another, lines were not kept. null: written
   * by a version that did not count.
   */
  readonly number: number | null
}

export interface EnqueueResult {
  readonly id: string
  readonly status: Status
  readonly deduplicated: boolean
}

export interface SettleResult {
  readonly id: string
  readonly version: number
  readonly status: Status
  /** When the job may run again; null when it is finished. */
  readonly runAt: number | null
  /** true when this very outcome had been recorded before. */
  readonly repeated: boolean
}

export interface ActResult {
  readonly id: string
  readonly status: Status
  /** false when the job was already there. */
  readonly changed: boolean
}
