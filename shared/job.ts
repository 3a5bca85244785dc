/** What callers see of a job, its attempts and its logs. */
import type { Backoff } from './backoff.ts'
import type { Status } from './status.ts'

/** A job without its bodies: what lists show. Instants are milliseconds UTC. */
export interface JobSummary {
  /** The id: a UUID version 7. */
  readonly id: string
  /** Grows with every insert; breaks ties in claim order and is the numeric id of messages. */
  readonly seq: number
  /** The name of the job type. */
  readonly type: string
  /** What state the job is in. */
  readonly status: Status
  /** Jobs with a higher number are claimed first. */
  readonly priority: number
  /** How many attempts were counted so far, the running one included. */
  readonly attempts: number
  /** How often the job is tried; null: the setting of its type. */
  readonly maxAttempts: number | null
  /** How often the process of a worker ended while it ran this job. */
  readonly crashes: number
  /** The fencing token: grows by one at every claim, for ever. */
  readonly version: number
  /** When the job may run next. */
  readonly runAt: number
  /** When the lease of the running attempt ends; null when it does not run. */
  readonly leaseUntil: number | null
  /** How long that lease is; null when it does not run. */
  readonly leaseMs: number | null
  /** The worker that holds the job, or that completed it. */
  readonly lockedBy: string | null
  /** The error of the last attempt that failed. */
  readonly error: string | null
  /** How far it is, in percent; null: not reported. */
  readonly progress: number | null
  /** The key that no second job of this type may have. */
  readonly dedupeKey: string | null
  /** When that key is free again. */
  readonly dedupeUntil: DedupeUntil | null
  /** How long one attempt may take; null: the setting of its type. */
  readonly timeoutMs: number | null
  /** How long to wait between attempts; null: the setting of its type. */
  readonly backoff: Backoff | null
  /** The interface that enqueued the job: `api`, `tq`, `simple`, `cli` … */
  readonly face: string
  /** When an operator cancelled it while it was running. */
  readonly cancelRequestedAt: number | null
  /** The `requestId` of the claim. */
  readonly claimRequestId: string | null
  /** The W3C `traceparent` it was enqueued with. */
  readonly traceparent: string | null
  /** Not used yet; always null. */
  readonly concurrencyKey: string | null
  /** A job that has not started by then is cancelled. */
  readonly expiresAt: number | null
  /** When it was enqueued. */
  readonly createdAt: number
  /** When it last changed. */
  readonly updatedAt: number
  /** When its last attempt began. */
  readonly startedAt: number | null
  /** When it completed, failed for good or was cancelled. */
  readonly finishedAt: number | null
}

/** A job with its payload and result. */
export interface Job extends JobSummary {
  /** What the handler gets. */
  readonly payload: unknown
  /** What the handler returned; null before it completes. */
  readonly result: unknown
}

/** `removed`: the key is taken while the job exists. `finished`: it is free again at a terminal status. */
export type DedupeUntil = 'removed' | 'finished'

/** What a worker gets: the payload and everything it needs to fence its side effects. */
export interface ClaimedJob {
  /** The id of the job. */
  readonly id: string
  /** Grows with every insert; the numeric id of messages. */
  readonly seq: number
  /** The name of the job type. */
  readonly type: string
  /** What the producer sent. */
  readonly payload: unknown
  /** The fencing token of this claim; every later call for the job needs it. */
  readonly version: number
  /** The number of this attempt, from 1. */
  readonly attempts: number
  /** How often the job is tried. */
  readonly maxAttempts: number
  /** Above 0 it was given out alone; a heartbeat before it starts confirms that it has arrived. */
  readonly crashes: number
  /** Jobs with a higher number are claimed first. */
  readonly priority: number
  /** When the job was due. */
  readonly runAt: number
  /** When it was enqueued. */
  readonly createdAt: number
  /** When this attempt began. */
  readonly startedAt: number
  /** When the lease ends without a heartbeat. */
  readonly leaseUntil: number
  /** How long this attempt may take: the job's own, or its type's. */
  readonly timeoutMs: number | null
  /** The W3C `traceparent` it was enqueued with. */
  readonly traceparent: string | null
}

/** Who holds a job under which version, or held it when it was completed. */
export interface Holder {
  /** The id of the job. */
  readonly id: string
  /** The number of the message. */
  readonly seq: number
  /** The name of the job type. */
  readonly type: string
  /** What state the job is in. */
  readonly status: Status
  /** The fencing token of its last claim. */
  readonly version: number
  /** The worker that holds the job, or that completed it. */
  readonly worker: string | null
}

/** How an attempt can end. */
export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'released', 'crashed'] as const
/** How an attempt ended. */
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** One attempt of a job that is over. */
export interface Attempt {
  /** The fencing token of the attempt. */
  readonly version: number
  /** The worker that ran it. */
  readonly worker: string | null
  /** When it began. */
  readonly startedAt: number
  /** When it ended. */
  readonly finishedAt: number
  /** How it ended. */
  readonly outcome: AttemptOutcome
  /** The status of the job after it. */
  readonly statusAfter: Status
  /** When the job may run next; null when it is finished. */
  readonly nextRunAt: number | null
  /** Why it failed; null when it did not. */
  readonly error: string | null
  /** The failure group that the error belongs to. */
  readonly errorKey: string | null
  /** The exit code, when the attempt was a command. */
  readonly exitCode: number | null
}

/** Where a line of a job's log can come from. */
export const LOG_STREAMS = ['stdout', 'stderr', 'log'] as const
/** Where a line of a job's log comes from. */
export type LogStream = (typeof LOG_STREAMS)[number]

/** One line of a job's log. */
export interface LogLine {
  /** The number of the line in the queue; `after` of the next read. */
  readonly id: number
  /** The fencing token of the attempt that wrote it. */
  readonly version: number
  /** Where it comes from. */
  readonly stream: LogStream
  /** When the queue stored it. */
  readonly at: number
  /** The text. */
  readonly line: string
  /**
   * Which line of its attempt it is, from 1 on: where the numbers do not follow one another, lines were not kept. null: written
   * by a version that did not count.
   */
  readonly number: number | null
}

/** What became of an enqueue. */
export interface EnqueueResult {
  /** The id of the job, or of the one that has the dedupe key already. */
  readonly id: string
  /** What state that job is in. */
  readonly status: Status
  /** true when a job with the same dedupe key existed and nothing was stored. */
  readonly deduplicated: boolean
}

/** What became of a job after its attempt. */
export interface SettleResult {
  /** The id of the job. */
  readonly id: string
  /** The fencing token of the attempt. */
  readonly version: number
  /** What state the job is in now. */
  readonly status: Status
  /** When the job may run again; null when it is finished. */
  readonly runAt: number | null
  /** true when this very outcome had been recorded before. */
  readonly repeated: boolean
}

/** What became of an operator's act. */
export interface ActResult {
  /** The id of the job. */
  readonly id: string
  /** What state the job is in now. */
  readonly status: Status
  /** false when the job was already there. */
  readonly changed: boolean
}
