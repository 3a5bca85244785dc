/** Public records: jobs, attempts, log lines and results of calls. */
import type { JobTick } from './schedules/schedule.ts'
import type { Backoff } from './settings/backoff.ts'
import type { Status } from './status.ts'

/** A job without payload and result, as in lists. Times are milliseconds UTC. */
export interface JobSummary {
  /** The id: a UUID version 7. */
  readonly id: string
  /** Grows with every insert; breaks ties in claim order and is the numeric id of messages. */
  readonly seq: number
  /** The name of the job type. */
  readonly type: string
  /** The status of the job. */
  readonly status: Status
  /** Jobs with a higher number are claimed first. */
  readonly priority: number
  /** Number of attempts so far, including the running one. */
  readonly attempts: number
  /** Maximum number of attempts; null: the setting of its type. */
  readonly maxAttempts: number | null
  /** How often a worker process died while it ran this job. */
  readonly crashes: number
  /** The fencing token: grows by one with every claim. */
  readonly version: number
  /** When the job may run next. */
  readonly runAt: number
  /** When the lease of the running attempt ends; null: not running. */
  readonly leaseUntil: number | null
  /** Length of that lease; null: not running. */
  readonly leaseMs: number | null
  /** The worker that holds the job, or that completed it. */
  readonly lockedBy: string | null
  /** Error of the last failed attempt. */
  readonly error: string | null
  /** Progress in percent; null: not reported. */
  readonly progress: number | null
  /** Dedupe key: only one job of this type can have it. */
  readonly dedupeKey: string | null
  /** When the dedupe key can be used again. */
  readonly dedupeUntil: DedupeUntil | null
  /** Time limit of one attempt; null: the setting of its type. */
  readonly timeoutMs: number | null
  /** Delay between attempts; null: the setting of its type. */
  readonly backoff: Backoff | null
  /** Source: the interface that enqueued the job (`api`, `tq`, `simple`, `cli` …). */
  readonly face: string
  /** When it was cancelled while it was running. */
  readonly cancelRequestedAt: number | null
  /** The `requestId` of the claim. */
  readonly claimRequestId: string | null
  /** The W3C `traceparent` it was enqueued with. */
  readonly traceparent: string | null
  /** The group that the job belongs to; null: none. */
  readonly groupName: string | null
  /** Its key in the group, such as a tenant; null: none. */
  readonly groupKey: string | null
  /** The job is cancelled if it has not started by then. */
  readonly expiresAt: number | null
  /** The tick of the schedule that it belongs to; null: none. */
  readonly tick: JobTick | null
  /** When it was enqueued. */
  readonly createdAt: number
  /** When it last changed. */
  readonly updatedAt: number
  /** When its last attempt began. */
  readonly startedAt: number | null
  /** When it completed, failed permanently or was cancelled. */
  readonly finishedAt: number | null
}

/** A job with its payload and result. */
export interface Job extends JobSummary {
  /** The input of the handler. */
  readonly payload: unknown
  /** The return value of the handler; null before it completes. */
  readonly result: unknown
}

/** `removed`: the key is in use while the job exists. `finished`: until the job has a terminal status. */
export type DedupeUntil = 'removed' | 'finished'

/** A job as a worker receives it, with the fencing token for its side effects. */
export interface ClaimedJob {
  /** The id of the job. */
  readonly id: string
  /** Grows with every insert; the numeric id of messages. */
  readonly seq: number
  /** The name of the job type. */
  readonly type: string
  /** The payload of the job. */
  readonly payload: unknown
  /** The fencing token of this claim; every later call for the job needs it. */
  readonly version: number
  /** The number of this attempt, from 1. */
  readonly attempts: number
  /** Maximum number of attempts. */
  readonly maxAttempts: number
  /** If above 0, the job was claimed alone; a heartbeat before the start confirms that the claim was received. */
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
  /** Time limit of this attempt, from the job or its type. */
  readonly timeoutMs: number | null
  /** The W3C `traceparent` it was enqueued with. */
  readonly traceparent: string | null
  /** The tick of the schedule that it belongs to; null: none. */
  readonly tick: JobTick | null
}

/** The worker and fencing token of a claimed or completed job. */
export interface Holder {
  /** The id of the job. */
  readonly id: string
  /** The numeric id of the message. */
  readonly seq: number
  /** The name of the job type. */
  readonly type: string
  /** The status of the job. */
  readonly status: Status
  /** The fencing token of its last claim. */
  readonly version: number
  /** The worker that holds the job, or that completed it. */
  readonly worker: string | null
}

/** Possible outcomes of an attempt. */
export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'released', 'crashed'] as const
/** Outcome of an attempt. */
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** One finished attempt of a job. */
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
  /** The error; null: it did not fail. */
  readonly error: string | null
  /** The failure group that the error belongs to. */
  readonly errorKey: string | null
  /** The exit code, when the attempt was a command. */
  readonly exitCode: number | null
}

/** Possible sources of a log line. */
export const LOG_STREAMS = ['stdout', 'stderr', 'log'] as const
/** Source of a log line. */
export type LogStream = (typeof LOG_STREAMS)[number]

/** One line of a job's log. */
export interface LogLine {
  /** Number of the line in the queue; use it as `after` for the next read. */
  readonly id: number
  /** The fencing token of the attempt that wrote it. */
  readonly version: number
  /** Source of the line. */
  readonly stream: LogStream
  /** When the queue stored it. */
  readonly at: number
  /** The text. */
  readonly line: string
  /**
   * Number of the line within its attempt, from 1. Gaps mean that lines were not kept. null: stored by a version without
   * line numbers.
   */
  readonly number: number | null
}

/** Result of an enqueue. */
export interface EnqueueResult {
  /** The id of the job, or of the existing job with the same dedupe key. */
  readonly id: string
  /** The status of that job. */
  readonly status: Status
  /** true: a job with the same dedupe key existed, and nothing was stored. */
  readonly deduplicated: boolean
}

/** Result of completing, failing or releasing a job. */
export interface SettleResult {
  /** The id of the job. */
  readonly id: string
  /** The fencing token of the attempt. */
  readonly version: number
  /** The new status of the job. */
  readonly status: Status
  /** When the job may run again; null: it is finished. */
  readonly runAt: number | null
  /** true: the same outcome had already been recorded. */
  readonly repeated: boolean
}

/** Result of an action on a job. */
export interface ActionResult {
  /** The id of the job. */
  readonly id: string
  /** The new status of the job. */
  readonly status: Status
  /** false: the job already had that status. */
  readonly changed: boolean
}
