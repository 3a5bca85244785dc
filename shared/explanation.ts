/** Explanation of a job: why it has its current status, and how each of its attempts ended. */
import type { Status } from './status.ts'

/** The position of a ready job in claim order, and the limits that apply to it. */
export interface QueuePosition {
  /** Ready jobs of the same type that are claimed first, at most 1,000. */
  readonly ahead: number
  /** True when there are more than 1,000. */
  readonly isMore: boolean
  /** Running jobs of the type. */
  readonly running: number
  /** How many jobs of the type may run at a time; null: unlimited. */
  readonly maxConcurrency: number | null
  /** Claims per second of the type; null: unlimited. */
  readonly rate: number | null
  /** The largest number of claims of the type without a pause between them, after a time without claims; null: unlimited. */
  readonly burst: number | null
  /** Claims per second of the whole queue; null: unlimited. */
  readonly queueRate: number | null
  /** When the rate limit admits the job if nothing else delays it, in milliseconds since 1970; null: no rate limit delays it now, or more than 1,000 jobs are ahead. */
  readonly estimatedAt: number | null
  /** Workers of the type that were seen in the last minute. */
  readonly workers: number
  /** Jobs that these workers hold. */
  readonly busySlots: number
  /** Jobs that these workers run at a time; null: one of them does not report it. */
  readonly slots: number | null
}

/** What a blocked job waits for. */
export const BLOCKED_CAUSES = ['stopped', 'paused', 'busy', 'order', 'concurrency', 'rate', 'window', 'next'] as const

/** The key of a job in its group, and the place of a blocked job in the line of its key. */
export interface GroupPosition {
  /** The name of the group. */
  readonly name: string
  /** The key. */
  readonly key: string
  /**
   * What a blocked job waits for: a failed job `stopped` the key, it is `paused`, a handler threw GroupBusy (`busy`), an earlier job in
   * strict `order`, the limits `concurrency` and `rate`, jobs of the key that are ready for workers already (`window`), or nothing
   * (`next`: it becomes ready in a moment); null: the job is not blocked.
   */
  readonly cause: (typeof BLOCKED_CAUSES)[number] | null
  /** Blocked jobs of the key that become ready before this one, at most 1,000; 0 when it is not blocked. */
  readonly ahead: number
  /** True when there are more than 1,000. */
  readonly isMore: boolean
  /** Jobs of the key that are ready for workers. */
  readonly pending: number
  /** Running jobs of the key. */
  readonly processing: number
  /** Blocked jobs of the key. */
  readonly blocked: number
  /** How many jobs of the key may be ready or running at a time; null: unlimited. */
  readonly concurrency: number | null
  /** The failed job that stopped the key; null: none, or it was removed. */
  readonly stoppedBy: string | null
}

/** Reason why a ready job is unclaimed. */
export type PendingReason =
  | 'queue_paused'
  | 'type_paused'
  | 'at_max_concurrency'
  | 'rate_limited'
  | 'no_worker'
  | 'waits_for_idle_worker'
  | 'workers_busy'
  | 'ready'

/** Why a job has its current status, and how each of its attempts ended. */
export interface Explanation {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The status of the job. */
  readonly status: Status
  /** The reason as a code, for programs. */
  readonly reason:
    | PendingReason
    | 'scheduled'
    | 'retrying'
    | 'blocked'
    | 'processing'
    | 'cancelling'
    | 'lease_ended'
    | 'completed'
    | 'failed'
    | 'set_aside'
    | 'cancelled'
  /** The reason as a sentence, for people. It contains durations and no instants, so it needs no time zone. */
  readonly text: string
  /** When the job is due, or when a rate limit or its group admits it, in milliseconds since 1970; null: not known, or the job runs or is finished. */
  readonly at: number | null
  /** The position of a ready job; null in other states. */
  readonly line: QueuePosition | null
  /** The group of an unfinished job; null: it has none, or the job is finished. */
  readonly group: GroupPosition | null
  /** One sentence per finished attempt, oldest first. */
  readonly history: readonly string[]
}
